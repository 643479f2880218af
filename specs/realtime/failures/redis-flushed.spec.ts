// @waits: for a Redis that lost everything to be noticed.
import { withSeed } from "../../stress/seed.ts";
import { runRedisFlushed } from "./redis-flushed.ts";

describe("A Redis that forgets everything under load", function () {
  this.timeout(180_000);

  it("is a gap that is announced to every client, and lets nobody speak who may not", () =>
    withSeed((seed, print) =>
      runRedisFlushed({ seed, clients: 18, rooms: 4, perSecond: 10, flushes: 1, calmMs: 500 }, print),
    ));
});
