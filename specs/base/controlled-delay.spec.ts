import { expect } from "chai";
import { ControlledDelay } from "../../base/controlled-delay.ts";

describe("controlled delay", () => {
  let time = 0;
  const delay = () => new ControlledDelay(400, () => time);

  it("lets requests wait for a second while none is served, and in a burst that is", () => {
    const queue = delay();
    time += 60_000;
    const stalled = queue.maxWaitMs;

    queue.served(3_000);
    time += 400;

    expect([stalled, queue.maxWaitMs]).deep.equal([1_000, 1_000]);
  });

  it("lets them wait for 100 ms in a queue that was served for 400 ms and didn't get empty", () => {
    const queue = delay();
    queue.served(1);
    time += 400;
    queue.served(50);
    time += 1;

    expect(queue.maxWaitMs).equal(100);
  });

  it("lets them wait for a second while nothing is served from a queue that stood, and in the burst after", () => {
    const queue = delay();
    for (let i = 0; i < 10; i++) {
      queue.served(50);
      time += 100;
    }
    const standing = queue.maxWaitMs;
    time += 301;
    const stalled = queue.maxWaitMs;
    queue.served(50);
    time += 400;

    expect([standing, stalled, queue.maxWaitMs]).deep.equal([100, 1_000, 1_000]);
  });

  it("lets them wait for a second again once the queue was empty", () => {
    const queue = delay();
    queue.served(1);
    time += 5_000;
    queue.served(0);
    queue.served(1);

    expect(queue.maxWaitMs).equal(1_000);
  });
});
