import { expect } from "chai";
import { newSeed } from "../../../stress/seed.ts";
import { runPrograms } from "./random-programs.ts";

const seed = newSeed();

const HAPPENS = ["redeem", "bet", "watch", "tip", "died", "retried"];
/** What a seed draws is luck: some 150 operations lack one of these, and hardly ever ten times as many. */
const MAX_RUNS = 10;

describe(`points, rewards, predictions and tips by processes that die (seed ${seed})`, () => {
  it("are conserved through 150 random operations, or as many more until everything has happened", async () => {
    const happened: Record<string, number> = {};
    const missing = () => HAPPENS.filter((one) => !happened[one]);

    for (let run = 0; run < MAX_RUNS && missing().length > 0; run++) {
      const figures = await runPrograms({ seed: seed + run * 1_000, operations: 150 }, () => undefined);
      for (const [what, times] of Object.entries(figures)) happened[what] = (happened[what] ?? 0) + times;
    }

    expect(missing(), JSON.stringify(happened)).deep.equal([]);
  }).timeout(240_000);
});
