import { expect } from "chai";
import { newSeed } from "../../../stress/seed.ts";
import { runPureModel } from "./pure-model.ts";
import { runStoredModel } from "./stored-model.ts";

/** Another one with every run; a failure prints it, with the path to the shortest case. */
const seed = newSeed();

describe(`predictions, rewards and points beside a plain model (seed ${seed})`, () => {
  it("decide the same: 10,000 operations without a store, whose process dies again and again", async () => {
    const { accepted, refused } = await runPureModel({ seed, operations: 10_000 }, () => undefined);

    expect(accepted).above(600);
    expect(refused).above(800);
  }).timeout(300_000);

  it("decide, keep and pay the same: 300 operations on the stores", async () => {
    const { accepted } = await runStoredModel({ seed, operations: 300 }, () => undefined);

    expect(accepted).above(5);
  }).timeout(480_000);
});
