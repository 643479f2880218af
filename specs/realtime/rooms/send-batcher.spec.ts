import { expect } from "chai";
import { SendBatcher } from "../../../realtime/rooms/send-batcher.ts";

describe("the batcher before admission", () => {
  it("lets a message that comes alone through at once, and one of every other room", () => {
    const batcher = new SendBatcher();
    expect([batcher.pass("a"), batcher.pass("b"), batcher.pass("c")]).deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("lets those through together that come faster, in their order", async () => {
    const batcher = new SendBatcher();
    await batcher.pass("a");
    const begun = performance.now();
    const order: number[] = [];
    const opened = new Set<number>();
    const messages = Array.from({ length: 20 }, async (_, n) => {
      await batcher.pass("a");
      order.push(n);
      opened.add(Math.round(performance.now() - begun));
    });

    expect(batcher.pass("b"), "another room").equal(undefined);
    await Promise.all(messages);

    expect(order).deep.equal([...Array(20).keys()]);
    expect(performance.now() - begun).least(3);
    expect(opened.size, "moments at which it opened").most(2);
  });

  it("opens again and again for a room that goes on", async () => {
    const batcher = new SendBatcher();
    const moments: number[] = [];
    for (let n = 0; n < 10; n++) {
      await batcher.pass("a");
      moments.push(performance.now());
    }

    const pauses = moments.slice(1).map((at, i) => at - (moments[i] ?? 0));
    for (const pause of pauses) expect(pause).least(3);
  });
});
