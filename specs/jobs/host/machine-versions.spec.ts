import { expect } from "chai";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import { createUpgrades, startUpgrades } from "../../../jobs/host/machine-versions/upgrade.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import { parkedActorsIn } from "../../../store/mongo/host/parked-actors.ts";
import type { SnapshotDoc } from "../../../store/mongo/host/snapshots.ts";
import { lampDefinition } from "../../actors/host/versions/lamp.ts";
import { DIM, EVENING, lampsIn } from "../../actors/host/versions/lamps.ts";
import { openWorld, type World } from "../../actors/host/world.ts";
import { eventually } from "../../support/eventually.ts";

describe("the job that brings actors up to the version of their machine", () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  it("arms what nobody talks to, page by page, and leaves alone what is over", async () => {
    const { old, now, timersOf, versionOf, pathsOf } = lampsIn(world);
    const ids = await Promise.all(Array.from({ length: 25 }, () => old.create()));
    const [over = "", ...lit] = ids;
    await old.send(over, "leave");
    world.move(10_000);

    const upgraded = await now.upgrades(4).tick();

    expect(upgraded).equal(24);
    expect(await versionOf(over)).equal(1);
    for (const id of lit) {
      expect(await versionOf(id)).equal(2);
      expect(await timersOf(id)).deep.equal({ [DIM]: 20_000, [EVENING]: 290_000 });
    }
    world.move(290_000);
    await now.sweeper.tick();
    expect((await pathsOf(lit[0] ?? "")).at(-1)).equal("out");
  });

  it("looks again until it finds none, for what older workers stored meanwhile, and once more a day later", async () => {
    const { old, now, versionOf } = lampsIn(world);
    const { tick } = now.upgrades();
    await old.create();
    expect(await tick()).equal(1);
    const late = await old.create();

    expect(await tick()).equal(0);
    world.move(60_000);
    expect(await tick()).equal(1);
    expect(await versionOf(late)).equal(2);
    world.move(60_000);
    expect(await tick()).equal(0);

    const later = await old.create();
    world.move(60_000);
    expect(await tick()).equal(0);
    world.move(24 * 3_600_000);
    expect(await tick()).equal(1);
    expect(await versionOf(later)).equal(2);
  });

  it("does no harm by two workers at once, and goes on where one that died had come to", async () => {
    const { old, now, timersOf } = lampsIn(world);
    const ids = await Promise.all(Array.from({ length: 20 }, () => old.create()));
    let left = 7;
    const dying = {
      upgrade: (machine: string, id: string) =>
        left-- > 0 ? now.host.upgrade(machine, id) : Promise.reject(unavailable()),
    };
    const { mongo, redis, clock, log } = world.deps;
    const machines = [lampDefinition(2)];
    const died = await createUpgrades({ host: dying, machines, mongo, redis, clock, log, page: 5 })
      .tick()
      .catch((err: unknown) => err);
    expect(died).instanceOf(ServiceError);
    const progress = await jobCursorsIn(mongo.db, "machine-versions:lamp").find();
    expect(progress).include({ after: `lamp:${[...ids].sort()[4]}`, upgraded: 5 });

    const upgraded = await Promise.all([now.upgrades(5).tick(), now.upgrades(5).tick()]);

    expect(upgraded[0] + upgraded[1]).equal(13);
    for (const id of ids) expect(await timersOf(id)).deep.equal({ [DIM]: 30_000, [EVENING]: 300_000 });
  });

  it("parks what can't be read, and brings the others up to date", async () => {
    const { old, now, versionOf } = lampsIn(world);
    const [broken, fine] = [await old.create(), await old.create()];
    const snapshots = world.mongo.db.collection<SnapshotDoc>("snapshots");
    await snapshots.updateOne({ _id: `lamp:${broken}` }, { $set: { snapshot: 7 }, $inc: { version: 1 } });

    expect(await now.upgrades().tick()).equal(1);
    await now.host.idle();

    expect(await versionOf(fine)).equal(2);
    expect(await versionOf(broken)).equal(1);
    expect(await parkedActorsIn(world.mongo.db).find(`lamp:${broken}`)).include({ machineVersion: 1 });
  });

  it("of an older release leaves to a newer one what is the newer one's", async () => {
    const { old, now, versionOf } = lampsIn(world);
    const id = await now.create();
    expect(await now.upgrades().tick()).equal(0);

    expect(await old.upgrades().tick()).equal(0);

    expect(await versionOf(id)).equal(2);
  });

  it("holds off after the start of its worker, and then goes by itself", async () => {
    const { old, now, versionOf } = lampsIn(world);
    const id = await old.create();
    const { mongo, redis, clock, log } = world.deps;
    const deps = { host: now.host, machines: [lampDefinition(2)], mongo, redis, clock, log, intervalMs: 5 };

    const holding = startUpgrades(deps);
    await old.send(id, "dim");
    await holding.stop();
    expect(await versionOf(id)).equal(1);

    const going = startUpgrades({ ...deps, holdOffMs: 0 });
    await eventually(async () => (await versionOf(id)) === 2);
    await going.stop();
  });
});
