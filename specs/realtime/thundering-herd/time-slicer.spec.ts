import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { createTimeSlicer } from "../../../realtime/gateway/socket/time-slicer.ts";

/** Keeps the event loop busy. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

describe("Work that thousands ask for at once", () => {
  it("is done at once when nobody else asks", async () => {
    const { run } = createTimeSlicer();
    const done: number[] = [];
    for (let i = 0; i < 3; i++) {
      void run(() => done.push(i));
      expect(done).length(i + 1);
      await turn();
      await turn();
    }
  });

  it("is done in the order of the calls, and in between all else has its turn", async () => {
    const { run } = createTimeSlicer(4);
    const done: number[] = [];
    const results = Array.from({ length: 100 }, (_, i) =>
      run(() => {
        work(1);
        return done.push(i);
      }),
    );
    let turns = 0;
    let longest = 0;
    while (done.length < 100) {
      const startedAt = performance.now();
      const before = done.length;
      await turn();
      turns++;
      longest = Math.max(longest, done.length - before);
      expect(performance.now() - startedAt).below(1_000);
    }

    expect(done).deep.equal([...Array(100).keys()]);
    expect(await Promise.all(results)).length(100);
    expect(turns).least(20);
    expect(longest).most(8);
  });

  it("reports an error to its caller, and goes on", async () => {
    const { run } = createTimeSlicer(1);
    const answers = [1, 2, 3].map((i) =>
      run(() => {
        work(1);
        if (i === 2) throw new Error("no");
        return i;
      }),
    );

    expect((await Promise.allSettled(answers)).map(({ status }) => status)).deep.equal([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });
});
