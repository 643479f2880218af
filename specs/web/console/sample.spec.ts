import { expect } from "chai";
import { type Kind, Sample } from "../../../web/src/console/moderation/chat/sample.ts";

describe("sample of a flood of messages", () => {
  let now = 0;
  const shownOf = (sample: Sample, count: number, kind: Kind = "usual"): number => {
    let shown = 0;
    for (let n = 0; n < count; n++) {
      now += 1_000 / count;
      if (sample.takes(kind)) shown++;
    }
    return shown;
  };

  it("takes all messages up to two hundred a second", () => {
    const sample = new Sample(() => now);
    shownOf(sample, 200);
    expect([shownOf(sample, 200), sample.oneOf]).deep.equal([200, 1]);
  });

  it("takes one of so many above that, says which part, and takes all again afterwards", () => {
    const sample = new Sample(() => now);
    shownOf(sample, 800);
    expect(shownOf(sample, 800)).within(190, 210);
    expect(sample.oneOf).within(4, 5);
    shownOf(sample, 20);
    shownOf(sample, 20);
    expect([shownOf(sample, 20), sample.oneOf]).deep.equal([20, 1]);
  });

  it("takes all wanted messages of a flood", () => {
    const sample = new Sample(() => now);
    shownOf(sample, 800);
    expect(shownOf(sample, 10)).equal(3);
    expect(shownOf(sample, 800, "wanted")).equal(800);
  });

  it("doesn't take messages that come again after a lost connection for a flood", () => {
    const sample = new Sample(() => now);
    shownOf(sample, 800, "late");
    expect([shownOf(sample, 100), sample.oneOf]).deep.equal([100, 1]);
  });
});
