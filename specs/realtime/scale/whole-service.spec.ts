// @waits: for a dead master to be noticed.
import { withSeed } from "../../stress/seed.ts";
import { runWholeService } from "./whole-service.ts";

describe("The whole service on a Valkey Cluster of three masters", function () {
  this.timeout(120_000);

  it("does what it does on one server, and loses no more than a dead master's rooms while that is away", () =>
    withSeed((seed, print) =>
      runWholeService(
        {
          seed,
          workers: 2,
          redis: "cluster",
          rooms: 4,
          clients: 12,
          perSecond: 12,
          visits: 1,
          cuts: 8,
          // Loose: other specs run beside; the full size holds it to the real goal.
          losses: 1,
          outageMs: 1_000,
          refusesWithinMs: 2_000,
        },
        print,
      ),
    ));
});
