import { expect } from "chai";
import { newSeed } from "../../stress/seed.ts";
import { runSearches } from "./searches.ts";

describe("searches among many names", function () {
  this.timeout(240_000);

  const seed = newSeed();

  it(`are answered in time, and find what is meant (seed ${seed})`, async () => {
    const sizes = { users: 5_000, clips: 500, categories: 200, queries: 30 };
    // Beside other specs; the soak holds fifty at two hundred times the size.
    const figures = await runSearches({ seed, ...sizes, p99Ms: 500 }, () => undefined);

    expect(figures.users).equal(5_000);
  });
});
