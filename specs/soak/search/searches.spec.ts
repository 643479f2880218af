import { expect } from "chai";
import { newSeed } from "../../stress/seed.ts";
import { runSearches } from "./searches.ts";

describe("searches among many names", function () {
  this.timeout(240_000);

  const seed = newSeed();

  it(`are answered in time, and find what is meant (seed ${seed})`, async () => {
    const sizes = { users: 1_000, clips: 200, categories: 100, queries: 15 };
    // Beside other specs, only what doesn't end is seen; the soak holds fifty at a thousand times the size.
    const figures = await runSearches({ seed, ...sizes, p99Ms: 5_000 }, () => undefined);

    expect(figures.users).equal(1_000);
  });
});
