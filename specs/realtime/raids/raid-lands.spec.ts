import { withSeed } from "../../stress/seed.ts";
import { runRaidLands } from "./raid-lands.ts";

describe("A raid into another room", function () {
  this.timeout(60_000);

  // Other specs and programs run beside; the full size holds it to the real goals.
  it("brings all who stayed there soon, nobody else, and leaves a third room whole", () =>
    withSeed((seed, print) =>
      runRaidLands(
        {
          seed,
          sockets: 300,
          leavePercent: 10,
          outPercent: 5,
          others: 5,
          calmMs: 600,
          landedWithinMs: 10_000,
          othersRatio: 1_000,
        },
        print,
      ),
    ));
});
