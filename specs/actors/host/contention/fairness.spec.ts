import { expect } from "chai";
import { runFairness } from "./fairness.ts";

describe("processes with bets on one prediction", function () {
  this.timeout(240_000);

  it("all get through at comparable rates, and without Redis still lose and repeat nothing", async () => {
    const options = { seed: 1, processes: 3, roundMs: 1_500, window: 20 };

    const figures = await runFairness(options, () => undefined);

    expect(figures.slowestShare).least(0.3);
    expect(figures.perSecondWithoutRedis).above(0);
  });
});
