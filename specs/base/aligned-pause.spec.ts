import { expect } from "chai";
import { alignedPause } from "../../base/aligned-pause.ts";

describe("pauses of periodic work", () => {
  const STARTS = [0, 3, 124.9, 125, 130.5, 249.9, 500, 1_000_017.3];

  for (const [grid, pauses] of [
    [250, [250, 300, 500]],
    [1_000, [1_000, 2_000, 15_000]],
  ] as const) {
    for (const everyMs of pauses) {
      it(`of ${everyMs} ms end at the moments of all others, ${grid / 2} ms early or late at most`, () => {
        for (const now of STARTS) {
          const pause = alignedPause(everyMs, now);
          expect(pause).within(everyMs - grid / 2, everyMs + grid / 2);
          const end = (now + pause) % grid;
          expect(Math.min(end, grid - end)).most(0.001);
        }
      });
    }
  }

  it("count from when the work began, and leave it half of the pause", () => {
    const nextAt = (everyMs: number, tookMs: number) => tookMs + alignedPause(everyMs, tookMs, 0);
    expect([10, 300, 370, 900].map((tookMs) => nextAt(500, tookMs))).deep.equal([500, 500, 500, 1_250]);
    expect([10, 900, 1_300].map((tookMs) => nextAt(1_000, tookMs))).deep.equal([1_000, 1_000, 2_000]);
  });

  it("that are shorter stay as they are", () => {
    expect(STARTS.map((now) => alignedPause(200, now))).deep.equal(STARTS.map(() => 200));
  });
});
