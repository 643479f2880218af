import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Figures, Print } from "../../stress/scenario.ts";
import { createApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { takeDatabase } from "../../support/own-stores.ts";
import { type Service, serviceHarness } from "../../support/service.ts";
import { openFakeTime } from "./faketime.ts";
import { givenAt, readyz } from "./host.ts";
import { openPrediction } from "./prediction.ts";

type ClocksOptions = {
  offsSeconds: number[];
  /** With these no service starts. */
  refusedSeconds: number[];
  jumpSeconds: number;
  watchedMs: number;
};

const PREDICTION_SECONDS = 120;
/** libfaketime reads its file once in ten seconds. */
const JUMPS_WITHIN_MS = 20_000;

/**
 * Two hosts on the same stores. The clock of one is off from its start, is so far off that it mustn't start, and jumps while it
 * runs; the other has an open prediction, which must be locked when its time is over, by the stores' clock. Throws otherwise.
 */
export async function runClocks(options: ClocksOptions, print: Print): Promise<Figures> {
  const hosts = serviceHarness("deploy/main.ts");
  const database = await takeDatabase();
  const time = openFakeTime();
  const secret = () => randomBytes(32).toString("hex");
  const shared = { MONGODB_DATABASE: database.name, MASTER_KEY: secret(), EDGE_KEYS: secret() };
  const start = (seconds: number) => {
    time.shift(seconds);
    return hosts.start({ ...shared, ...time.env });
  };
  try {
    const right = await hosts.start(shared);
    await right.ready();
    const channel = await givenAt(right).channel();
    const prediction = await openPrediction(channel, PREDICTION_SECONDS);
    print("a host is there, with an open prediction");

    for (const seconds of options.offsSeconds) {
      const wrong = await start(seconds);
      await wrong.ready();
      await expectTokensAccepted(right, wrong);
      const { status, clock } = await readyz(wrong);
      assert.equal(status, 503, clock);
      await pause(options.watchedMs);
      await prediction.expectOpen();
      await stopped(wrong);
      print(`${seconds} s: ${clock}`);
    }
    for (const seconds of options.refusedSeconds) {
      const refused = await start(seconds);
      assert.equal(await refused.ended, 1);
      assert.match(refused.output(), /clocks differ too much/);
      print(`${seconds} s: not started`);
    }
    const jumping = await start(0);
    await jumping.ready();
    assert.deepEqual(await readyz(jumping), { status: 200, clock: "ok" });
    time.shift(options.jumpSeconds);
    const isSaid = async () => (await readyz(jumping)).status === 503;
    await eventually(isSaid, { withinMs: JUMPS_WITHIN_MS, what: "the jump is said" });
    await expectTokensAccepted(right, jumping);
    await prediction.expectOpen();
    print(`jumped by ${options.jumpSeconds} s: ${(await readyz(jumping)).clock}`);

    const lateMs = await prediction.lateMs();
    print(`the prediction was locked ${lateMs} ms after its time`);
    return { lateMs };
  } finally {
    await hosts.end();
    time.close();
    await database.giveBack();
  }
}

/** The token of each is used at the other, at once. */
export async function expectTokensAccepted(one: Service, other: Service): Promise<void> {
  for (const [issuer, verifier] of [
    [one, other],
    [other, one],
  ] as const) {
    const { token } = await givenAt(issuer).user();
    const { status } = await createApi(verifier.http).as({ token }).call("getMe");
    assert.equal(status, 200, "a token is refused");
  }
}

async function stopped(service: Service): Promise<void> {
  service.signal("SIGTERM");
  assert.equal(await service.ended, 0);
}
