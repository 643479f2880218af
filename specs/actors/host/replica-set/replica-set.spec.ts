import { expect } from "chai";
import { chanceFrom, newSeed } from "../../../stress/seed.ts";
import { openReplicaSet, type ReplicaSet } from "../../../support/replica-set.ts";
import { CUT_OFF, KILLED, STEPS_DOWN, underLoad, withService } from "./faults.ts";

/** Another one in each run; `npm run soak -- actors step-downs primary-killed primary-cut-off` goes through both, many times. */
const seed = newSeed();
const FAULTS = [
  { fault: STEPS_DOWN, title: "when the primary steps down", gapWithinMs: 10_000, refusals: 500 },
  { fault: KILLED, title: "when the primary is killed", gapWithinMs: 15_000, refusals: 500 },
  { fault: CUT_OFF, title: "when the primary is cut off", gapWithinMs: 3_000, refusals: 500 },
] as const;
const { fault, title, ...bounds } = chanceFrom(seed).one(FAULTS);

describe("bets on a MongoDB of three members", function () {
  this.timeout(300_000);
  let set: ReplicaSet;
  before(async () => {
    set = await openReplicaSet();
  });
  after(() => set?.close());

  it(`count once each ${title} (seed ${seed})`, () =>
    withService(set, async (world) => {
      const options = { seed, faults: 1, writers: 6, calmMs: 500, ...bounds };

      const { bets } = await underLoad({ world, set, print: () => undefined, fault, options });

      expect(bets).above(20);
    }));
});
