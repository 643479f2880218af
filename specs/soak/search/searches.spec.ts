import { expect } from "chai";
import { newSeed } from "../../stress/seed.ts";
import { runSearches } from "./searches.ts";

describe("searches among many names", function () {
  this.timeout(240_000);

  const seed = newSeed();

  it(`are answered in time, and find what is meant (seed ${seed})`, async () => {
    const sizes = { users: 2_000, clips: 200, categories: 100, queries: 30 };
    // Beside other specs; the soak holds fifty at five hundred times the size.
    const figures = await runSearches({ seed, ...sizes, p99Ms: 500 }, () => undefined);

    expect(figures.users).equal(2_000);
  });
});
