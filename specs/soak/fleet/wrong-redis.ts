import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Figures, Print } from "../../stress/scenario.ts";
import { openReplicaSet } from "../../support/replica-set.ts";
import { serviceHarness } from "../../support/service.ts";
import { expectTokensAccepted } from "./clocks.ts";
import { openFakeTime } from "./faketime.ts";
import { readyz } from "./host.ts";

/**
 * Redis runs beside a host whose clock is off, so that these two agree against MongoDB; another host's clock is as MongoDB's. Each
 * accepts the other's tokens. Here MongoDB and the other host are moved instead, which is the same. Throws otherwise.
 */
export async function runWrongRedis(
  { offsSeconds }: { offsSeconds: number[] },
  print: Print,
): Promise<Figures> {
  const time = openFakeTime();
  try {
    for (const seconds of offsSeconds) {
      time.shift(-seconds);
      const hosts = serviceHarness("deploy/main.ts");
      const set = await openReplicaSet({ members: 1, lastEnv: time.env });
      try {
        const secret = () => randomBytes(32).toString("hex");
        const shared = { MONGODB_URL: set.url, MASTER_KEY: secret(), EDGE_KEYS: secret() };
        const database = { ...shared, MONGODB_DATABASE: "livecore_wrong_redis" };
        const right = await hosts.start({ ...database, ...time.env });
        await right.ready();
        const wrong = await hosts.start(database);
        await wrong.ready();
        assert.match((await readyz(wrong)).clock, /sweeps are stopped$/);
        await expectTokensAccepted(right, wrong);
        print(`${seconds} s: ${(await readyz(wrong)).clock}`);
      } finally {
        await hosts.end();
        await set.close();
      }
    }
    return { offs: offsSeconds.length };
  } finally {
    time.close();
  }
}
