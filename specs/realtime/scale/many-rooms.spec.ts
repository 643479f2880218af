import { withSeed } from "../../stress/seed.ts";
import { runManyRooms } from "./many-rooms.ts";

describe("A worker with many rooms", function () {
  this.timeout(90_000);

  it("isn't held up by their number", () =>
    withSeed((seed, print) =>
      // How late a loop is depends on what else this machine does; the full size holds it to the real goal.
      runManyRooms(
        { seed, rooms: 80, messages: 1, quietMs: 1_500, loopMostMs: 1_000, memoryRatio: 100 },
        print,
      ),
    ));
});
