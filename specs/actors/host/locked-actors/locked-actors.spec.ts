import { expect } from "chai";
import { runLockedActors } from "./locked-actors.ts";

/** How long anything takes is `npm run soak -- actors locked-actors`. */
const SMALL = { actors: 1_000, locked: 3, clients: 32, rounds: 1, asks: 200, roundMs: 0 };

describe("a thousand actors, three of which are locked by somebody else's transaction", () => {
  it("commit meanwhile, but for these three, and none of the others is refused", async () => {
    const figures = await runLockedActors(
      { seed: 1, ...SMALL, deadlineMs: 60_000, ratio: null },
      () => undefined,
    );

    expect(figures.heldAnswers).least(200);
    expect(figures.refused).equal(0);
    expect(figures.lockedAnswers).least(3);
  }).timeout(120_000);
});
