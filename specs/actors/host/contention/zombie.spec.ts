import { expect } from "chai";
import { runZombie } from "./zombie.ts";

/** A turn lasts 2 s at most, and a transaction is ended after 3 s of silence, looked for every half second. */
const BLOCKED_MS = 15_000;

describe("a process that stops dead with an actor's turn", function () {
  this.timeout(240_000);

  for (const moment of ["read", "writing"] as const) {
    it(`holds nobody up for long and changes nothing wrongly when it wakes up (${moment})`, async () => {
      const { blockedMs, accepted } = await runZombie({ moment, events: 40, deadlineMs: 60_000 });

      expect(blockedMs).below(BLOCKED_MS);
      expect(accepted).above(20);
    });
  }
});
