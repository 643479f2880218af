import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Figures, Print } from "../../stress/scenario.ts";
import { createApi } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { type Channel, givenChannels } from "../../support/given-channels.ts";
import { takeDatabase } from "../../support/own-stores.ts";
import { type Service, serviceHarness } from "../../support/service.ts";
import { openFakeTime } from "./faketime.ts";

type ClocksOptions = {
  offsSeconds: number[];
  /** With these no service starts. */
  refusedSeconds: number[];
  jumpSeconds: number;
  watchedMs: number;
};

const PREDICTION_SECONDS = 120;
/** The tolerance, and a moment for the sweep. */
const MAX_LATE_MS = 3_000;
/** libfaketime reads its file once in ten seconds. */
const JUMPS_WITHIN_MS = 20_000;

const given = ({ http }: Service) =>
  givenChannels({ api: createApi(http), clock: movableClock(), ingestKey: "" });

async function readyz({ internal }: Service) {
  const response = await fetch(`${internal}/readyz`);
  const { checks }: { checks: Record<string, string> } = JSON.parse(await response.text());
  return { status: response.status, clock: checks.clock };
}

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
    const channel = await given(right).channel();
    const prediction = await openPrediction(channel);
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
    assert.ok(lateMs >= 0 && lateMs <= MAX_LATE_MS, `the prediction was locked ${lateMs} ms late`);
    print(`the prediction was locked ${lateMs} ms after its time`);
    return { lateMs };
  } finally {
    await hosts.end();
    time.close();
    await database.giveBack();
  }
}

async function openPrediction({ owner, at }: Channel) {
  const outcomes = [{ title: "Red" }, { title: "Blue" }];
  const body = { title: "Who wins?", outcomes, duration_seconds: PREDICTION_SECONDS };
  const { id } = await owner.api.ok("createPrediction", { params: at, body });
  const openedAt = performance.now();
  const status = async () => (await owner.api.ok("getPrediction", { params: { prediction_id: id } })).status;
  const passedMs = () => Math.round(performance.now() - openedAt);
  return {
    async expectOpen() {
      assert.equal(await status(), "active", `locked before ${passedMs()} ms of ${PREDICTION_SECONDS} s`);
    },
    /** By how much the lock came later than its time. */
    async lateMs(): Promise<number> {
      const leftMs = PREDICTION_SECONDS * 1_000 - passedMs();
      await eventually(async () => (await status()) === "locked", { withinMs: leftMs + 2 * MAX_LATE_MS });
      return passedMs() - PREDICTION_SECONDS * 1_000;
    },
  };
}

/** The token of each is used at the other, at once. */
async function expectTokensAccepted(one: Service, other: Service): Promise<void> {
  for (const [issuer, verifier] of [
    [one, other],
    [other, one],
  ] as const) {
    const { token } = await given(issuer).user();
    const { status } = await createApi(verifier.http).as({ token }).call("getMe");
    assert.equal(status, 200, "a token is refused");
  }
}

async function stopped(service: Service): Promise<void> {
  service.signal("SIGTERM");
  assert.equal(await service.ended, 0);
}
