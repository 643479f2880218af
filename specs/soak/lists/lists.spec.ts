import { expect } from "chai";
import { newSeed } from "../../stress/seed.ts";
import { runLists } from "./lists.ts";

describe("large lists", function () {
  this.timeout(240_000);

  const seed = newSeed();

  it(`are read anywhere in time (seed ${seed})`, async () => {
    const sizes = { documents: 3_000, streams: 1_500, pages: 10, furthest: 1_200 };
    // Beside other specs; the soak holds fifty up to the ten thousandth of a million.
    const figures = await runLists({ seed, ...sizes, p99Ms: 500 }, () => undefined);

    expect(figures.documents).equal(3_000);
  });
});
