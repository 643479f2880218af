import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { decodeJwt } from "jose";
import { allReady } from "../../realtime/failures/with-service.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { openReplicaSet } from "../../support/replica-set.ts";
import { type Service, serviceHarness } from "../../support/service.ts";
import { openFakeTime } from "./faketime.ts";
import { givenAt, readyz } from "./host.ts";
import { openPrediction } from "./prediction.ts";

const PREDICTION_SECONDS = 60;
/** Measured every five seconds; a failover may make one measurement fail. */
const NOTICED_WITHIN_MS = 15_000;
const ISSUED_WITHIN_MS = 10_000;

/**
 * A member of MongoDB's replica set whose clock is ahead becomes the primary, and another one after it. No timer fires early, workers
 * that are replaced meanwhile keep the time, the host says whose clock is wrong and stays ready, and sweeps go on afterwards. Throws otherwise.
 */
export async function runWrongPrimary(
  { aheadSeconds, watchedMs }: { aheadSeconds: number; watchedMs: number },
  print: Print,
): Promise<Figures> {
  const time = openFakeTime();
  time.shift(aheadSeconds);
  const hosts = serviceHarness("deploy/main.ts");
  const set = await openReplicaSet({ lastEnv: time.env });
  try {
    await set.stepUp("first");
    const host = await hosts.start({ MONGODB_URL: set.url });
    await host.ready();
    const prediction = await openPrediction(await givenAt(host).channel(), PREDICTION_SECONDS);
    print("a host is there, with an open prediction");

    await set.stepUp("last");
    const clock = await clockBecomes(host, (said) => said !== "ok");
    assert.match(clock, /^the clock of MongoDB is wrong: .*; sweeps are stopped$/);
    await pause(watchedMs);
    await prediction.expectOpen();
    assert.equal((await readyz(host)).status, 200);
    await replaceApiWorkers(host);
    const { token } = await givenAt(host).user();
    const issuedAt = (decodeJwt(token).iat ?? 0) * 1_000;
    assert.ok(
      Math.abs(issuedAt - Date.now()) < ISSUED_WITHIN_MS,
      "new workers go by the wrong primary's time",
    );
    await prediction.expectOpen();
    print(`the primary's clock is ${aheadSeconds} s ahead: ${clock}`);

    await set.stepUp("first");
    await clockBecomes(host, (said) => said === "ok");
    const lateMs = await prediction.lateMs();
    print(`the prediction was locked ${lateMs} ms after its time`);
    return { lateMs };
  } finally {
    await hosts.end();
    await set.close();
    time.close();
  }
}

/** Kills all and waits for others. */
async function replaceApiWorkers(host: Service): Promise<void> {
  const api = () => host.workers().filter(({ kind }) => kind === "api");
  const killed = api().map(({ pid }) => pid);
  for (const pid of killed) process.kill(pid, "SIGKILL");
  await eventually(() => api().length === killed.length && api().every(({ pid }) => !killed.includes(pid)));
  await allReady(host);
}

async function clockBecomes(host: Service, isWanted: (clock: string) => boolean): Promise<string> {
  let said = "";
  await eventually(
    async () => {
      said = (await readyz(host)).clock;
      return isWanted(said);
    },
    { withinMs: NOTICED_WITHIN_MS, what: "/readyz says how the clocks stand" },
  );
  return said;
}
