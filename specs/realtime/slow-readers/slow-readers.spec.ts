import { withSeed } from "../../stress/seed.ts";
import { runReplaysStopped } from "./replays-stopped.ts";
import { runSlowReaders } from "./slow-readers.ts";

describe("Readers that stop reading", function () {
  this.timeout(60_000);

  it("are ended with 4008 after all up to some event, resume without a gap, and disturb nobody", () =>
    withSeed((seed, print) =>
      runSlowReaders(
        {
          seed,
          readers: 20,
          slow: 4,
          perSecond: 50,
          calmMs: 600,
          endedWithinMs: 30_000,
          // Other specs and programs run beside; the full size holds it to the real goals.
          memoryMiB: 64,
          healthyP99Ms: 1_000,
          healthyRatio: 100,
        },
        print,
      ),
    ));

  it("in the middle of a replay go on where they were, or are ended with 4008 when they take too long", () =>
    withSeed((seed, print) =>
      runReplaysStopped(
        { seed, events: 4_000, resuming: 3, stopping: 3, pauseMs: 500, stalledMs: 1_500, memoryMiB: 48 },
        print,
      ),
    ));
});
