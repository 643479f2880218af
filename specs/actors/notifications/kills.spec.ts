import { expect } from "chai";
import { withSeed } from "../../stress/seed.ts";
import { runNotificationKills } from "./kills.ts";

describe("a process that dies while it makes lists of notifications, and pushes of them", function () {
  this.timeout(240_000);

  it("leaves each notified once by the process that goes on, wherever it dies", () =>
    withSeed(async (seed, print) => {
      // Other points in each run; `npm run soak -- actors notification-kills` goes through all of them.
      const { died } = await runNotificationKills({ seed, share: 15, followers: 501 }, print);
      expect(died, "deaths").above(2);
    }));
});
