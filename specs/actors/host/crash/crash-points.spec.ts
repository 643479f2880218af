import { expect } from "chai";
import { newSeed } from "../../../stress/seed.ts";
import { runCrashPoints } from "./crash-points.ts";

/** Another part of the scenarios and of their points in each run; `npm run soak -- actors` goes through all of them. */
const seed = newSeed();
const OPTIONS = { seed, points: { most: 6 }, scenarios: { most: 3 }, long: false };

describe("a process that dies in the middle", () => {
  it(`leaves nothing half done, nothing twice and nothing forgotten, wherever it dies (seed ${seed})`, async () => {
    const { scenarios, died } = await runCrashPoints(OPTIONS, () => undefined);

    expect(scenarios).above(2);
    expect(died).above(4);
  }).timeout(480_000);
});
