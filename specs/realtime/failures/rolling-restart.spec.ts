import { withSeed } from "../../stress/seed.ts";
import { runRollingRestart } from "./rolling-restart.ts";

describe("All workers, replaced under load", function () {
  this.timeout(180_000);

  it("lose nothing, fail no request, and send each client away twice at most", () =>
    withSeed((seed, say) =>
      runRollingRestart(
        {
          ...{ seed, clients: 20, rooms: 2, perSecond: 8, requestsPerSecond: 8 },
          ...{ calmMs: 1_000, returnsAtMost: 2, spreadLeastMs: 400, repeatedShareAtMost: 0.05 },
        },
        say,
      ),
    ));
});
