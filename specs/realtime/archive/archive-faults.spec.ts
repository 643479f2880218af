import { withSeed } from "../../stress/seed.ts";
import { runArchiveFaults } from "./archive-faults.ts";

describe("The archive of chat, while what writes it dies, sleeps, is doubled, and loses either store", function () {
  this.timeout(60_000);

  it("has each acknowledged message once, in its place and as it was left, and nothing is trimmed before", () =>
    withSeed((seed, print) =>
      runArchiveFaults(
        {
          seed,
          rooms: 4,
          happenings: 600,
          kills: 3,
          pauses: 1,
          pausedMs: 500,
          thefts: 3,
          repeats: 2,
          outages: 1,
          awayMs: 1_000,
          redisKills: 1,
        },
        print,
      ),
    ));
});
