import { expect } from "chai";
import { withSeed } from "../../../stress/seed.ts";
import { runTimersAfterDowntime } from "./timers-after-downtime.ts";

describe("timers when every process is killed and none is there for a while", function () {
  this.timeout(300_000);

  it("fire once each, none early, the missed ones soon after the start and the others at their time", async () => {
    const options = {
      machines: 120,
      processes: 2,
      aliveMs: 1_000,
      downMs: 1_500,
      afterMs: 2_000,
      // Loose: how fast it is says a machine that has nothing else to do, in the soak.
      overdueWithinMs: 60_000,
      onTimeWithinMs: 60_000,
    };

    const figures = await withSeed((seed, print) => runTimersAfterDowntime({ seed, ...options }, print));

    // The seed draws a fifth of them; so few come once in a million.
    expect(figures.overdue).above(3);
  });
});
