import { told } from "./told.ts";
import { runWorkerKilled } from "./worker-killed.ts";

describe("A worker that holds sockets and is killed under load", function () {
  this.timeout(180_000);

  it("costs no client a message: its clients resume elsewhere, in time", () =>
    told((seed, say) =>
      runWorkerKilled(
        { seed, clients: 100, rooms: 4, perSecond: 25, calmMs: 1_000, caughtUpWithinMs: 4_000 },
        say,
      ),
    ));
});
