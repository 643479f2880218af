// @alone: it measures how soon events arrive.
import { withSeed } from "../../stress/seed.ts";
import { runQuietRooms } from "./quiet-rooms.ts";

describe("A worker with one hot room", function () {
  this.timeout(60_000);

  it("gathers its events, and lets quiet rooms wait for nothing", () =>
    withSeed((seed, print) =>
      runQuietRooms(
        {
          seed,
          hotPerSecond: 1_000,
          hotSockets: 20,
          quietRooms: 10,
          talkMs: 2_000,
          // Other specs and programs run beside; the full size holds them to the real goals.
          quietP50Ms: 3,
          hotP99Ms: 250,
        },
        print,
      ),
    ));
});
