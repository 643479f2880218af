import { expect } from "chai";
import { newSeed } from "../../stress/seed.ts";
import { runRepeats } from "./repeats.ts";

describe("a bet that is sent again because its answer was lost", function () {
  this.timeout(240_000);

  const seed = newSeed();

  it(`is taken once and answered as it was; another one under its key is refused (seed ${seed})`, async () => {
    const figures = await runRepeats({ seed, bets: 60, bettors: 4, cutPercent: 50 }, () => undefined);

    expect(figures.bets).equal(60);
    expect(figures.answersLost).above(10);
  });
});
