import { expect } from "chai";
import { withSeed } from "../../../stress/seed.ts";
import { runContention } from "./contention.ts";

describe("processes that send to the same actors", function () {
  this.timeout(300_000);

  it("apply every event once and never both win a version, whichever is killed meanwhile", async () => {
    const options = { processes: 3, actors: 10, events: 200, kills: 4, deadlineMs: 240_000 };

    const figures = await withSeed((seed, print) => runContention({ seed, ...options }, print));

    expect(figures.accepted + figures.refused).equal(200);
    expect(figures.accepted).above(140);
    // Otherwise nothing was killed in the middle of something.
    expect(figures.unknownByKill).above(0);
  });
});
