import { expect } from "chai";
import { newSeed } from "../../../stress/seed.ts";
import { runRandomKills } from "./random-kills.ts";

const seed = newSeed();

describe("api and jobs workers that are killed under 32 writers", () => {
  it(`lose nothing that was answered and do nothing twice (seed ${seed})`, async () => {
    const options = { seed, writers: 32, kills: 1, operations: 300 };

    const { kills, operations } = await runRandomKills(options, () => undefined);

    expect(kills).equal(options.kills);
    expect(operations).at.least(options.operations);
  }).timeout(480_000);
});
