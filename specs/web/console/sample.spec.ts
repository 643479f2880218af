import { expect } from "chai";
import { kindOf } from "../../../web/src/console/moderation/chat/kind-of.ts";
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

  it("takes twenty messages a second of others who mean the reader, and of more as of all messages", () => {
    const sample = new Sample(() => now);
    shownOf(sample, 800);
    now += 10;
    const first = Array.from({ length: 20 }, () => sample.takes("meant"));
    expect([first.includes(false), sample.oneOf]).deep.equal([false, 4]);
    // The next second, which may have begun, has twenty of its own.
    expect(shownOf(sample, 780, "meant")).within(190, 220);
  });

  it("doesn't take messages that come again after a lost connection for a flood", () => {
    const sample = new Sample(() => now);
    shownOf(sample, 800, "late");
    expect([shownOf(sample, 100), sample.oneOf]).deep.equal([100, 1]);
  });
});

describe("kind of a message in a flood", () => {
  const since = 1_000_000;
  const later = since + 10_000;
  const kind = (more: object, heard: object = {}) =>
    kindOf(
      { username: "grace", timestamp: later, type: "message", ...more },
      { self: "ada", isMeant: false, since, now: later, ...heard },
    );

  it("is wanted where the reader wrote it, or where it came with an act or as an announcement", () => {
    const mine = kind({ username: "ada" }, { isMeant: true });
    expect([mine, kind({ type: "announcement" }), kind({ act: {} })]).deep.equal([
      "wanted",
      "wanted",
      "wanted",
    ]);
  });

  it("is late where it was said before the room was subscribed to, and comes within seconds after that", () => {
    const at = (now: number) => kind({ timestamp: since - 60_000 }, { now });
    expect([at(since + 1_000), at(since + 6_000)]).deep.equal(["late", "usual"]);
  });

  it("is the usual one however late it is, as where everything is late", () => {
    expect(kind({ timestamp: since + 1_000 }, { now: since + 4_000 })).equal("usual");
  });
});
