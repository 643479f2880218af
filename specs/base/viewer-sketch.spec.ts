import { createHash } from "node:crypto";
import { expect } from "chai";
import { openSketch } from "../../base/viewer-sketch.ts";

/** The same in every run. */
const hashOf = (n: number) => createHash("sha256").update(`viewer ${n}`).digest().readUInt32BE(0);

function sketchOf(from: number, until: number) {
  const sketch = openSketch(null);
  for (let n = from; n < until; n++) sketch.add(hashOf(n));
  return sketch;
}

describe("a sketch of viewers", function () {
  this.timeout(60_000);

  it("is exact up to a thousand, however often each is seen", () => {
    for (const size of [0, 1, 2, 500, 1_024]) {
      const sketch = sketchOf(0, size);
      for (let n = 0; n < size; n++) sketch.add(hashOf(n));
      expect(sketch.count()).equal(size);
    }
  });

  it("is near past that, in four kilobytes", () => {
    for (const size of [1_025, 3_000, 10_000, 20_000, 100_000]) {
      const sketch = sketchOf(0, size);
      // Three times the standard error.
      expect(Math.abs(sketch.count() / size - 1), `of ${size}`).below(0.05);
      expect(sketch.bytes().length).equal(4_097);
    }
  });

  it("is the same after it was kept", () => {
    for (const size of [0, 3, 1_024, 5_000]) {
      const sketch = sketchOf(0, size);
      const again = openSketch(sketch.bytes());
      expect(again.count()).equal(sketch.count());
      expect(again.bytes()).deep.equal(sketch.bytes());
    }
  });

  it("united with another is that of both, in any order and however often", () => {
    for (const [first, second] of [
      [600, 300],
      [900, 900],
      [4_000, 200],
      [200, 4_000],
      [8_000, 8_000],
    ] as const) {
      const parts = [sketchOf(0, first), sketchOf(first / 2, first / 2 + second)].map((one) => one.bytes());
      const whole = sketchOf(0, Math.max(first, first / 2 + second)).count();
      for (const order of [parts, parts.toReversed(), [...parts, ...parts]]) {
        const united = openSketch(null);
        for (const part of order) united.unite(part);
        expect(united.count()).equal(whole);
      }
    }
  });
});
