import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import { deadlineSignal } from "../../base/deadline-signal.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

describe("deadline signals", () => {
  /** The names of the reasons of aborted ones. */
  function observed(signals: readonly AbortSignal[]): Promise<string[]> {
    return Promise.all(
      signals.map(
        (signal) =>
          new Promise<string>((aborted) =>
            signal.addEventListener("abort", () => aborted(signal.reason.name), { once: true }),
          ),
      ),
    );
  }

  it("abort at their deadline also when the garbage collector ran before", async () => {
    const other = new AbortController();
    const reasons = observed(Array.from({ length: 20 }, () => deadlineSignal(100, other.signal)));
    const collecting = setInterval(collectGarbage, 10);

    expect(await reasons).deep.equal(Array(20).fill("TimeoutError"));

    clearInterval(collecting);
  });

  it("abort with the signal that they were combined with", async () => {
    const other = new AbortController();
    const reasons = observed([deadlineSignal(60_000, other.signal)]);
    collectGarbage();

    other.abort();

    expect(await reasons).deep.equal(["AbortError"]);
  });
});
