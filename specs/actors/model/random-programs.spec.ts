import { expect } from "chai";
import { newSeed } from "../../stress/seed.ts";
import { runPrograms } from "./random-programs.ts";

const seed = newSeed();

const HAPPENS = ["redeem", "bet", "watch", "tip", "died", "retried"];

describe(`points, rewards, predictions and tips by processes that die (seed ${seed})`, () => {
  it("are conserved through 150 random operations", async () => {
    const happened = await runPrograms({ seed, operations: 150 }, () => undefined);

    for (const one of HAPPENS) expect(happened[one], `${one} of ${JSON.stringify(happened)}`).above(0);
  }).timeout(240_000);
});
