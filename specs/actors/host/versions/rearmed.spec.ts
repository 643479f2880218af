import { expect } from "chai";
import type { SnapshotDoc } from "../../../../store/mongo/host/snapshots.ts";
import { openWorld, type World } from "../world.ts";
import { DIM, EVENING, FORMER, lampsIn } from "./lamps.ts";

describe("an actor that is in a state to which a new version gave a timer", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  it("gets it with its next commit, counted from when it came there, and loses the timer that no state handles", async () => {
    const { old, now, timersOf, pathsOf } = lampsIn(world);
    const id = await old.create();
    expect(await timersOf(id)).deep.equal({ [FORMER]: 600_000 });
    world.move(10_000);

    expect(await now.send(id, "touch")).deep.equal({ ok: true, answer: "lit.bright" });

    expect(await timersOf(id)).deep.equal({ [DIM]: 20_000, [EVENING]: 290_000 });
    world.move(20_000);
    await now.sweeper.tick();
    expect(await pathsOf(id)).deep.equal(["lit.bright", "lit.dimmed"]);
    world.move(270_000);
    await now.sweeper.tick();
    expect(await pathsOf(id)).deep.equal(["lit.bright", "lit.dimmed", "out"]);
  });

  it("gets those of the state around it from when it came into that, not from its last change inside", async () => {
    const { old, now, timersOf } = lampsIn(world);
    const id = await old.create();
    world.move(40_000);
    await old.send(id, "dim");
    world.move(10_000);

    await now.send(id, "touch");

    expect(await timersOf(id)).deep.equal({ [EVENING]: 250_000 });
  });

  it("has what is past behind it before the request is decided", async () => {
    const { old, now, pathsOf, timersOf } = lampsIn(world);
    const id = await old.create();
    world.move(40_000);

    const reply = await now.send(id, "dim");

    expect(reply).deep.include({ ok: false });
    expect(await pathsOf(id)).deep.equal(["lit.bright", "lit.dimmed"]);
    expect(await timersOf(id)).deep.equal({ [EVENING]: 260_000 });
  });

  it("gets it from now on when its history doesn't show when that was", async () => {
    const { old, now, timersOf } = lampsIn(world);
    const id = await old.create();
    await world.mongo.db.collection("history").deleteMany({ actor: `lamp:${id}` });
    world.move(40_000);

    await now.send(id, "touch");

    expect(await timersOf(id)).deep.equal({ [DIM]: 30_000, [EVENING]: 300_000 });
  });

  it("keeps the timers that it has as they are", async () => {
    const { old, now, timersOf } = lampsIn(world);
    const id = await old.create();
    await now.send(id, "touch");
    world.move(10_000);
    const snapshots = world.mongo.db.collection<SnapshotDoc>("snapshots");
    // As if they were of the older version.
    await snapshots.updateOne({ _id: `lamp:${id}` }, { $set: { machineVersion: 1 }, $inc: { version: 1 } });
    await world.mongo.db.collection("history").deleteMany({ actor: `lamp:${id}` });

    await now.send(id, "touch");

    expect(await timersOf(id)).deep.equal({ [DIM]: 20_000, [EVENING]: 290_000 });
  });

  it("loses the timer that fires first of all when no state handles it any more", async () => {
    const { old, now, pathsOf, timersOf } = lampsIn(world);
    const id = await old.create(60);
    world.move(600_000);

    await now.sweeper.tick();

    expect(await pathsOf(id)).deep.equal(["lit.bright", "lit.dimmed"]);
    expect(await timersOf(id)).deep.equal({ [EVENING]: 3_000_000 });
  });
});
