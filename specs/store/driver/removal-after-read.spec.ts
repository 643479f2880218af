import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { parkedActorsIn } from "../../../store/mongo/host/parked-actors.ts";
import { timerHoldersIn } from "../../../store/mongo/host/timer-holders.ts";
import { openStores, type Stores } from "../../support/stores.ts";

const NOW = new Date(1_900_000_000_000);
const later = (ms: number) => new Date(NOW.getTime() + ms);

describe("removal of rows that were read before", () => {
  let stores: Stores;
  before(async () => {
    stores = await openStores(`livecore_spec_removal_${process.pid}_${newId().slice(-6)}`);
  });
  after(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });

  it("keeps a timer sweeper that sends a heartbeat after it was found dead", async () => {
    const holders = timerHoldersIn(stores.mongo.db);
    for (const holder of ["alive", "dead"]) await holders.beat(holder, later(-1));
    const found = await holders.dead(NOW);
    await holders.beat("alive", later(5_000));

    await holders.removeDead(found, NOW);

    expect(found).have.members(["alive", "dead"]);
    expect(await holders.dead(later(10_000))).deep.equal(["alive"]);
  });

  it("keeps a parked actor that a worker meets again after it was found recovered", async () => {
    const parked = parkedActorsIn(stores.mongo.db);
    const met = (_id: string, seenAt: Date) =>
      parked.note({ _id, machine: "poll", reason: "newer", machineVersion: 9, since: NOW, seenAt });
    for (const actor of ["poll:again", "poll:well"]) await met(actor, NOW);
    const page = await parked.page("", 10);
    await met("poll:again", later(60_000));

    await parked.remove(page);

    expect(page).length(2);
    expect((await parked.page("", 10)).map(({ _id }) => _id)).deep.equal(["poll:again"]);
  });
});
