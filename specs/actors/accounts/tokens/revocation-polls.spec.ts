// @waits: for polls of what has ended.
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { createRevocations } from "../../../../actors/accounts/tokens/revocations.ts";
import { eventually } from "../../../support/eventually.ts";
import { quietLog } from "../../../support/quiet-log.ts";

const POLLS = 4;

describe("ended sessions", () => {
  for (const tookMs of [0, 300]) {
    it(`answer from memory at any time while a poll takes ${tookMs} ms`, async () => {
      const fresh: boolean[] = [];
      const endedFrom = async () => {
        await pause(tookMs);
        fresh.push(revocations.isFresh());
        return [];
      };
      const revocations = createRevocations({
        sources: [{ endedFrom }],
        clock: { now: Date.now },
        log: quietLog(),
      });
      await revocations.start();
      await eventually(() => fresh.length > POLLS);
      await revocations.stop();

      // Nothing is known before the first.
      expect(fresh.slice(1, POLLS + 1)).deep.equal(Array(POLLS).fill(true));
    });
  }

  it("come from the database while clocks differ", async () => {
    const clock = { isTrue: false, now: Date.now, isTrusted: () => clock.isTrue };
    const revocations = createRevocations({ sources: [], clock, log: quietLog() });
    await revocations.start();

    expect(revocations.isFresh()).equal(false);
    clock.isTrue = true;
    expect(revocations.isFresh()).equal(true);
    await revocations.stop();
  });
});
