import { withSeed } from "../../stress/seed.ts";
import { runWorkerKilled } from "./worker-killed.ts";

describe("A worker that holds sockets and is killed under load", function () {
  this.timeout(180_000);

  it("costs no client a message: its clients resume elsewhere, in time", () =>
    withSeed((seed, say) =>
      runWorkerKilled(
        { seed, clients: 40, rooms: 3, perSecond: 12, calmMs: 500, caughtUpWithinMs: 4_000 },
        say,
      ),
    ));
});
