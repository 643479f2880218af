import { runManyKills } from "./many-kills.ts";
import { told } from "./told.ts";

describe("Workers that are killed one after the other, and clients whose network is bad", function () {
  this.timeout(180_000);

  it("lose no message and double none, also where nothing was said before", () =>
    told((seed, say) =>
      runManyKills({ seed, clients: 40, rooms: 3, perSecond: 15, kills: 2, unlucky: 4 }, say),
    ));
});
