import { withSeed } from "../../stress/seed.ts";
import { runRedisRestarted } from "./redis-restarted.ts";

describe("A Redis that is killed under load and comes back with its data", function () {
  this.timeout(180_000);

  it("has lost nothing that was acknowledged, and its rooms begin a new epoch", () =>
    withSeed((seed, say) =>
      runRedisRestarted(
        {
          ...{ seed, clients: 18, rooms: 3, perSecond: 10, restarts: 1 },
          ...{ outageMs: 1_000, calmMs: 500, acceptsWithinMs: 3_000 },
        },
        say,
      ),
    ));
});
