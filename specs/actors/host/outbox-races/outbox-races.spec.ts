import { expect } from "chai";
import { newSeed } from "../../../stress/seed.ts";
import { runOutboxRaces } from "./outbox-races.ts";

const SMALL = { sources: 12, rooms: 3, commits: 48 };
const quiet = () => undefined;

describe("the outbox, published by many processes at once", function () {
  this.timeout(300_000);

  const [dying, emptied] = [newSeed(), newSeed()];

  it(`shows a room each event once and in order while publishers die and Redis goes away (seed ${dying})`, async () => {
    const faults = { deaths: 2, outages: 1, flushes: 0 };
    const figures = await runOutboxRaces({ seed: dying, ...SMALL, ...faults }, quiet);

    expect(figures.rows).above(SMALL.commits / 2);
    expect(figures.deaths).above(0);
    expect(figures.duplicatesAfterFlush).equal(0);
  });

  it(`loses no event that wasn't published when Redis loses everything (seed ${emptied})`, async () => {
    const faults = { deaths: 1, outages: 0, flushes: 2 };
    await runOutboxRaces({ seed: emptied, ...SMALL, ...faults }, quiet);
  });
});
