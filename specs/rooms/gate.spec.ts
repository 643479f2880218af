import { expect } from "chai";
import { Gate } from "../../realtime/rooms/gate.ts";

describe("the gate before admission", () => {
  it("lets a message that comes alone through at once, and one of every other room", () => {
    const gate = new Gate();
    expect([gate.pass("a"), gate.pass("b"), gate.pass("c")]).deep.equal([undefined, undefined, undefined]);
  });

  it("lets those through together that come faster, in their order", async () => {
    const gate = new Gate();
    await gate.pass("a");
    const begun = performance.now();
    const order: number[] = [];
    const opened = new Set<number>();
    const messages = Array.from({ length: 20 }, async (_, n) => {
      await gate.pass("a");
      order.push(n);
      opened.add(Math.round(performance.now() - begun));
    });

    expect(gate.pass("b"), "another room").equal(undefined);
    await Promise.all(messages);

    expect(order).deep.equal([...Array(20).keys()]);
    expect(performance.now() - begun).least(3);
    expect(opened.size, "moments at which it opened").most(2);
  });

  it("opens again and again for a room that goes on", async () => {
    const gate = new Gate();
    const moments: number[] = [];
    for (let n = 0; n < 10; n++) {
      await gate.pass("a");
      moments.push(performance.now());
    }

    const pauses = moments.slice(1).map((at, i) => at - (moments[i] ?? 0));
    for (const pause of pauses) expect(pause).least(3);
  });
});
