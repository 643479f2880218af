import { expect } from "chai";
import { openReplicaSet, type ReplicaSet } from "../../support/replica-set.ts";
import { underLoad, withService } from "./faults.ts";

describe("bets on a MongoDB of three members", function () {
  this.timeout(300_000);
  let set: ReplicaSet;
  before(async () => {
    set = await openReplicaSet();
  });
  after(() => set?.close());

  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);

  it("count once each and fail for nobody when the primary steps down, and once each when it is killed", async () => {
    await withService(set, async (world) => {
      const common = { seed: 1, faults: 1, writers: 6, calmMs: 500 };

      const stepped = await underLoad({
        world,
        set,
        print,
        fault: "stepDown",
        options: { ...common, gapWithinMs: 10_000, refusals: 0 },
      });
      const killed = await underLoad({
        world,
        set,
        print,
        fault: "kill",
        options: { ...common, gapWithinMs: 15_000, refusals: 100 },
      });

      expect(stepped.bets).above(20);
      expect(killed.bets).above(20);
    });
  });
});
