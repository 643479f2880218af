import { expect } from "chai";
import { newSeed } from "../../stress/seed.ts";
import { runPrograms } from "./random-programs.ts";

const seed = newSeed();

describe(`rewards, predictions and earnings by two processes (seed ${seed})`, () => {
  it("conserve points through 600 random acts", async () => {
    const happened = await runPrograms({ seed, acts: 600 });

    for (const one of ["redeem", "fulfil", "refund", "delete", "bet", "invalid_state", "redemption_limit"])
      expect(happened[one], `${one} of ${JSON.stringify(happened)}`).above(0);
  }).timeout(240_000);
});
