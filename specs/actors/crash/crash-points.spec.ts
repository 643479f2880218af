import { expect } from "chai";
import { runCrashPoints } from "./crash-points.ts";

/** Every twelfth point with every change; `npm run soak -- actors` goes through all of them. */
const OPTIONS = { seed: 1, stride: 12, long: false };

describe("a process that dies in the middle", () => {
  it("leaves nothing half done, nothing twice and nothing forgotten, wherever it dies", async () => {
    const { scenarios, died } = await runCrashPoints(OPTIONS, () => undefined);

    expect(scenarios).equal(9);
    expect(died).above(30);
  }).timeout(480_000);
});
