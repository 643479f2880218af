// @waits: for runs of the sweeps.
import { withSeed } from "../../stress/seed.ts";
import { runFanOut } from "./fan-out.ts";

describe("A channel with many followers that goes live", function () {
  this.timeout(120_000);

  it("is announced to each of them once, while others go on", () =>
    withSeed((_seed, print) =>
      // How long others' requests take depends on what else this machine does; the full size holds them to the real goal.
      runFanOut(
        {
          followers: 3_000,
          perSecond: 10,
          fans: 20,
          calmMs: 1_000,
          notifiedWithinMs: 60_000,
          othersRatio: null,
          singlesWithinMs: 20_000,
        },
        print,
      ),
    ));
});
