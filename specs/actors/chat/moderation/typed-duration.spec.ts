import { expect } from "chai";
import { array, assert, constantFrom, integer, property, tuple, uniqueArray } from "fast-check";
import { readDuration, UNIT_SECONDS } from "../../../../actors/chat/moderation/typed-duration.ts";

const NAMES = [...UNIT_SECONDS.keys()];
const sizeOf = (name: string) => UNIT_SECONDS.get(name) ?? Number.NaN;
const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));

/** A number, what stands between it and its unit, the unit, and what stands before the next number. */
const part = tuple(integer({ min: 0, max: 9_999 }), constantFrom("", " ", "  "), constantFrom(...NAMES));
const duration = uniqueArray(part, {
  minLength: 1,
  maxLength: 4,
  selector: ([, , name]) => sizeOf(name),
}).map((parts) => parts.sort(([, , one], [, , other]) => sizeOf(other) - sizeOf(one)));
const joint = constantFrom("", " ", ", ", " and ");
const style = constantFrom(
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  fullWidth,
);

describe("durations as moderators type them", () => {
  it("reads every sum of units, however it is spelled, and leaves the reason", () => {
    const reason = constantFrom("", "spam", "of spam", "and out", "3 warnings", "m8");
    void assert(
      property(
        duration,
        array(joint, { minLength: 3, maxLength: 3 }),
        style,
        reason,
        (parts, joints, write, rest) => {
          const typed = parts
            .map(([amount, space, name], i) => `${i === 0 ? "" : joints[i - 1]}${amount}${space}${name}`)
            .join("");
          const expected = parts.reduce((sum, [amount, , name]) => sum + amount * sizeOf(name), 0);

          const read = readDuration(`${write(typed)} ${rest}`.trimEnd(), 1);

          expect(read, `${write(typed)} ${rest}`).deep.equal({ ok: true, seconds: expected, rest });
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("reads each fraction that is a whole number of seconds as that number", () => {
    const misread: string[] = [];
    for (const [name, size] of UNIT_SECONDS) {
      for (let thousandths = 1; thousandths < 10_000; thousandths++) {
        const text = `${thousandths / 1_000}${name}`;
        const seconds = (thousandths * size) / 1_000;
        const read = readDuration(text, 1);
        const isRead =
          read?.ok && (Number.isInteger(seconds) ? read.seconds === seconds : read.seconds % 1 > 0);
        if (!isRead) misread.push(text);
      }
    }
    expect(misread).deep.equal([]);
    expect(readDuration("0.3h 0.1m", 1)).deep.include({ seconds: 1_086 });
  });

  it("reads a bare number in the command's own unit", () => {
    for (const unit of [1, 60])
      expect(readDuration("90 loud", unit)).deep.equal({ ok: true, seconds: 90 * unit, rest: "loud" });
    expect(readDuration("９０", 60)).deep.equal({ ok: true, seconds: 5_400, rest: "" });
  });

  it("refuses what begins with a digit of any script and isn't a duration", () => {
    for (const text of [
      "10x",
      "1h30",
      "1h 30",
      "30m1h",
      "5m5m",
      "10:00",
      "1h30x",
      "٣٠",
      "1.5.5h",
      "9".repeat(99),
    ])
      expect(readDuration(text, 1), text).deep.equal({ ok: false });
  });

  it("takes other texts for the reason", () => {
    for (const text of ["", "spam", "m10", "-5", "½h"]) expect(readDuration(text, 1), text).equal(null);
  });
});
