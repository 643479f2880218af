// @waits: for workers to come back, and between acts.
import { withSeed } from "../../stress/seed.ts";
import { runActsUnderKills } from "./acts-under-kills.ts";

describe("Decisions about held messages, votes, whispers and bots' waits while workers are killed", function () {
  this.timeout(180_000);

  it("are neither lost nor repeated", () =>
    withSeed((seed, print) =>
      runActsUnderKills(
        { seed, rooms: 1, clients: 6, perSecond: 5, authors: 1, voters: 6, bots: 1, kills: 3 },
        print,
      ),
    ));
});
