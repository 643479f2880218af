import { expect } from "chai";
import { ControlledDelay } from "../../store/controlled-delay.ts";

describe("controlled delay", () => {
  let time = 0;
  const delay = () => new ControlledDelay(() => time);

  it("lets a burst wait for a second", () => {
    const queue = delay();
    queue.resized(0);
    time += 60_000;

    queue.resized(3_000);
    time += 1_000;

    expect(queue.maxWaitMs).equal(1_000);
  });

  it("lets requests wait for 100 ms in a queue that stands for longer than a second", () => {
    const queue = delay();
    queue.resized(1);
    time += 1_001;
    queue.resized(50);

    expect(queue.maxWaitMs).equal(100);
  });

  it("lets them wait for a second again once the queue was empty", () => {
    const queue = delay();
    queue.resized(1);
    time += 5_000;
    queue.resized(0);
    queue.resized(1);

    expect(queue.maxWaitMs).equal(1_000);
  });
});
