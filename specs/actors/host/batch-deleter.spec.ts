import { expect } from "chai";
import { BatchDeleter } from "../../../actors/host/batch-deleter.ts";

/** Removals that end when the spec says so. */
function removing() {
  const calls: string[][] = [];
  const ends: ((err?: Error) => void)[] = [];
  const failures: unknown[] = [];
  const deleter = new BatchDeleter(
    (ids) => {
      calls.push(ids);
      return new Promise((resolve, reject) => ends.push((err) => (err ? reject(err) : resolve())));
    },
    (err) => void failures.push(err),
  );
  const end = async (err?: Error) => {
    ends.shift()?.(err);
    await new Promise(setImmediate);
  };
  return { deleter, calls, failures, end };
}

describe("the batch deleter", () => {
  it("take what gathers during one with the next", async () => {
    const { deleter, calls, end } = removing();

    deleter.add(["a"]);
    deleter.add(["b"]);
    deleter.add(["c"]);
    await end();

    expect(calls).deep.equal([["a"], ["b", "c"]]);
  });

  it("keep nobody waiting for what was added later", async () => {
    const { deleter, end } = removing();
    let isIdle = false;
    deleter.add(["a"]);
    const idle = deleter.idle().then(() => {
      isIdle = true;
    });

    deleter.add(["b"]);
    await end();

    expect(isIdle).equal(true);
    await idle;
  });

  it("give up what can't be removed, and go on", async () => {
    const { deleter, calls, failures, end } = removing();
    deleter.add(["a"]);
    deleter.add(["b"]);
    const idle = deleter.idle();

    await end(new Error("the store is unavailable"));
    await end();
    await idle;

    expect(calls).deep.equal([["a"], ["b"]]);
    expect(failures).length(1);
  });
});
