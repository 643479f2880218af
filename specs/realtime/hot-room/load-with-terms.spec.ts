// @alone: it sends hundreds of messages a second.
import { withSeed } from "../../stress/seed.ts";
import { runLoadWithTerms } from "./load-with-terms.ts";

describe("A busy room with 300 terms, on two workers", function () {
  this.timeout(180_000);

  it("loses none, shows each once and in order, and goes by a new term from its answer on", () =>
    withSeed((seed, print) =>
      runLoadWithTerms(
        {
          seed,
          perSecond: 250,
          speakers: 16,
          terms: 300,
          clients: 6,
          loadMs: 2_500,
          // So many are sent; how many a cold service on a busy machine keeps up with is for the full size.
          changeEveryMs: 800,
          leastPerSecond: 50,
          ackP99Ms: 20_000,
        },
        print,
      ),
    ));
});
