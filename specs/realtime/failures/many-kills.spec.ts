import { withSeed } from "../../stress/seed.ts";
import { runManyKills } from "./many-kills.ts";

describe("Workers that are killed one after the other, and clients whose network is bad", function () {
  this.timeout(180_000);

  it("lose no message and double none, also where nothing was sent before", () =>
    withSeed((seed, print) =>
      runManyKills({ seed, clients: 20, rooms: 2, perSecond: 8, kills: 2, unlucky: 4 }, print),
    ));
});
