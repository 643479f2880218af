import { expect } from "chai";
import { newSeed } from "../../stress/seed.ts";
import { runSearches } from "./searches.ts";

describe("searches among many names", function () {
  this.timeout(240_000);

  const seed = newSeed();

  it(`are answered in time, and find what is meant (seed ${seed})`, async () => {
    const sizes = { users: 300, clips: 60, categories: 30, queries: 10 };
    // Beside other specs, only what doesn't end is seen; the soak holds fifty at a thousand times the size.
    const figures = await runSearches({ seed, ...sizes, p99Ms: 5_000 }, () => undefined);

    expect(figures.users).equal(300);
  });
});
