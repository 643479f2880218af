import { withSeed } from "../../stress/seed.ts";
import { runStorm } from "./storm.ts";
import { runThunderingHerd } from "./thundering-herd.ts";

/** Other specs and programs run beside; the full size holds herds to the real goals. */
const FEW = { clients: 150, signedInPercent: 20, behind: 200, others: 5, calmMs: 600 };
const PATIENT = { backWithinMs: 10_000, cpuMicros: 3_000, othersRatio: 1_000 };

describe("A herd that comes back at once, each 200 events behind", function () {
  this.timeout(60_000);

  it("is served from the ring: nothing is read of the log, and once what is the same for all", () =>
    withSeed((seed, print) =>
      runThunderingHerd(
        {
          seed,
          ...FEW,
          isColdWorker: false,
          isSpread: true,
          ...PATIENT,
        },
        print,
      ),
    ));

  it("at a worker that has never seen the room reads each page of its log once", () =>
    withSeed((seed, print) =>
      runThunderingHerd(
        {
          seed,
          ...FEW,
          isColdWorker: true,
          isSpread: false,
          ...PATIENT,
        },
        print,
      ),
    ));

  it("resumes in time with the service's own words, while REST answers and the archive isn't queried", () =>
    withSeed((seed, print) =>
      runStorm(
        {
          seed,
          clients: 100,
          rooms: 3,
          perSecond: 20,
          awayMs: 1_000,
          backWithinMs: 10_000,
          restP99Ms: 2_000,
        },
        print,
      ),
    ));
});
