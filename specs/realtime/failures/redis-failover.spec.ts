// @waits: for a failover of Redis.
import { withSeed } from "../../stress/seed.ts";
import { runRedisFailover } from "./redis-failover.ts";

describe("A Redis that fails over to a replica which is behind", function () {
  this.timeout(180_000);

  it("never gives a number twice, and announces a gap to everybody who was shown what is gone", () =>
    withSeed((seed, print) =>
      runRedisFailover(
        {
          seed,
          clients: 16,
          rooms: 4,
          perSecond: 12,
          calmMs: 500,
          behindMs: 1_500,
          // Loose, as other specs run beside; the full size holds both to the real goals.
          acceptsWithinMs: 15_000,
          newEpochsWithinMs: 30_000,
        },
        print,
      ),
    ));
});
