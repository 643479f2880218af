import { expect } from "chai";
import { runContention } from "./contention.ts";

describe("processes that tell the same actors", function () {
  this.timeout(300_000);

  it("apply every event once and never both win a version, whoever is killed meanwhile", async () => {
    const seed = Date.now() % 1_000_000;
    const told: string[] = [`seed ${seed}`];
    const options = { seed, processes: 3, actors: 10, events: 200, kills: 2, deadlineMs: 240_000 };

    const figures = await runContention(options, (line) => void told.push(line)).catch((err: unknown) => {
      throw new Error(told.join("; "), { cause: err });
    });

    expect(figures.accepted + figures.refused).equal(200);
    expect(figures.accepted).above(140);
    // Otherwise nothing was killed in the middle of something.
    expect(figures.unknownByKill).above(0);
  });
});
