// @alone: it measures how soon events arrive.
import { expect } from "chai";
import { withSeed } from "../../stress/seed.ts";
import { eventually } from "../../support/eventually.ts";
import { withGateway } from "../wire/gateway-process.ts";
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

  it("gathers for longer while it is busy, and no longer than it is", () =>
    withGateway(
      async () => ({}),
      async (gateway) => {
        const paceMs = async () => (await gateway.look()).stats.paceSeconds * 1_000;
        expect(await paceMs()).equal(10);

        gateway.burn(0.95);
        await eventually(async () => (await paceMs()) === 50, { what: "it gathers for 50 ms" });
        gateway.burn(0);
        await eventually(async () => (await paceMs()) === 10, { what: "it gathers for 10 ms again" });
      },
    ));
});
