import { expect } from "chai";
import { BatchDeleter } from "../../actors/host/batch-deleter.ts";

/** Removals that end when the spec says so. */
function removing() {
  const calls: string[][] = [];
  const ends: ((err?: Error) => void)[] = [];
  const failures: unknown[] = [];
  const removals = new BatchDeleter(
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
  return { removals, calls, failures, end };
}

describe("removals", () => {
  it("take what gathers during one with the next", async () => {
    const { removals, calls, end } = removing();

    removals.add(["a"]);
    removals.add(["b"]);
    removals.add(["c"]);
    await end();

    expect(calls).deep.equal([["a"], ["b", "c"]]);
  });

  it("keep nobody waiting for what was added later", async () => {
    const { removals, end } = removing();
    let isIdle = false;
    removals.add(["a"]);
    const idle = removals.idle().then(() => {
      isIdle = true;
    });

    removals.add(["b"]);
    await end();

    expect(isIdle).equal(true);
    await idle;
  });

  it("give up what can't be removed, and go on", async () => {
    const { removals, calls, failures, end } = removing();
    removals.add(["a"]);
    removals.add(["b"]);
    const idle = removals.idle();

    await end(new Error("the store is away"));
    await end();
    await idle;

    expect(calls).deep.equal([["a"], ["b"]]);
    expect(failures).length(1);
  });
});
