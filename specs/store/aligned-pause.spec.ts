import { expect } from "chai";
import { alignedPause } from "../../store/aligned-pause.ts";

describe("pauses of periodic work", () => {
  const STARTS = [0, 3, 124.9, 125, 130.5, 249.9, 1_000_017.3];

  for (const everyMs of [250, 300, 500, 1_000, 15_000]) {
    it(`of ${everyMs} ms end at the moments of all others, an eighth of a second early or late at most`, () => {
      for (const now of STARTS) {
        const pause = alignedPause(everyMs, now);
        expect(pause).within(everyMs - 125, everyMs + 125);
        const end = (now + pause) % 250;
        expect(Math.min(end, 250 - end)).most(0.001);
      }
    });
  }

  it("that are shorter stay as they are", () => {
    expect(STARTS.map((now) => alignedPause(200, now))).deep.equal(STARTS.map(() => 200));
  });
});
