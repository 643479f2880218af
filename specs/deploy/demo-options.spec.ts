import { expect } from "chai";
import { parseOptions, rateFor, USAGE } from "../../deploy/development/demo/options.ts";

/** A room takes 20 lines in 30 s of each chatter, and one a second. */
const LINES_A_SECOND = 20 / 30;

describe("options of npm run demo", () => {
  it("take a rate that the room's limits allow for the viewers who have accounts", () => {
    for (const viewers of [2, 3, 5, 20, 60, 300, 5_000]) {
      const chatters = viewers - Math.floor(viewers / 5);
      expect(rateFor(viewers), `${viewers} viewers`)
        .least(1)
        .most(Math.max(1, chatters * LINES_A_SECOND));
      expect(parseOptions(["--viewers", String(viewers)]).rate).equal(rateFor(viewers));
    }
    expect([rateFor(20), rateFor(300)]).deep.equal([6, 20]);
    expect(parseOptions(["--viewers", "20", "--rate", "50"]).rate).equal(50);
  });

  it("know --stay, and explain it", () => {
    expect(parseOptions(["--stay"]).stay).equal(true);
    expect(parseOptions([]).stay).equal(false);
    expect(USAGE).include("--stay");
  });
});
