import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { newId } from "../../base/ids.ts";
import type { OutboxDoc } from "../../store/mongo/host/outbox.ts";
import { type ParkedActorDoc, parkedActorsIn } from "../../store/mongo/host/parked-actors.ts";
import type { SnapshotDoc } from "../../store/mongo/host/snapshots.ts";
import { timersIn } from "../../store/mongo/host/timers.ts";
import { openWorld, type World } from "../actors/host/world.ts";
import { operate } from "../support/operate.ts";

const QUESTION = { title: "?", outcomes: [{ title: "yes" }, { title: "no" }] };
/** Failures after which a row is set aside. */
const FAILURES = 10;

describe("npm run actors", function () {
  this.timeout(60_000);
  let world: World;
  let home: string;

  before(() => {
    home = mkdtempSync(join(tmpdir(), "livecore-actors-"));
  });
  after(() => rmSync(home, { recursive: true, force: true }));
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world?.close());

  async function actors(...args: string[]) {
    const { code, stdout, stderr } = await operate("deploy/commands/actors", args, {
      home,
      database: world.mongo.db.databaseName,
    });
    return { code, output: stdout + stderr };
  }

  const open = async (from: Pick<World, "predictions"> = world) => {
    const stream = await world.stream();
    const { _id } = await from.predictions.open({
      ...QUESTION,
      stream,
      durationSeconds: 60,
      by: stream.userId,
    });
    return _id;
  };
  const snapshots = () => world.mongo.db.collection<SnapshotDoc>("snapshots");
  const change = (id: string, machineVersion: number) =>
    snapshots().updateOne({ _id: `prediction:${id}` }, { $set: { machineVersion }, $inc: { version: 1 } });
  const entryOf = (id: string) => parkedActorsIn(world.mongo.db).find(`prediction:${id}`);
  const timerOf = async (id: string) => (await timersIn(world.mongo.db).ofActor(`prediction:${id}`))[0];

  /** Open, unreadable, and due to lock: its timer was tried and waits. */
  async function parkedPrediction(): Promise<string> {
    const id = await open();
    await change(id, 9);
    world.move(90_000);
    await world.sweeper.tick();
    await world.settled();
    return id;
  }

  it("lists a parked actor with what is wrong, and doesn't release what still can't be read", async () => {
    const id = await parkedPrediction();
    const before = { entry: await entryOf(id), timer: await timerOf(id) };
    const at = new Date(world.clock.now()).toISOString();

    const listed = await actors("parked");
    const refused = await actors("release", `prediction:${id}`);

    const wrong = `prediction:${id} has version 9, newer than 1`;
    expect(listed).deep.equal({
      code: 0,
      output: `prediction:${id}  parked since ${at}, met last ${at}: ${wrong}\n`,
    });
    expect(refused).deep.equal({
      code: 1,
      output: `prediction:${id} stays parked, and nothing was changed: ${wrong}\n`,
    });
    expect(before.entry).include({ machine: "prediction", machineVersion: 9, reason: wrong });
    expect({ entry: await entryOf(id), timer: await timerOf(id) }).deep.equal(before);
  });

  it("says which can be read again; a release lets it go on at once", async () => {
    const id = await parkedPrediction();
    await change(id, 1);
    expect(await world.sweeper.tick()).equal(0);

    const listed = await actors("parked");
    const released = await actors("release", `prediction:${id}`);
    const again = await actors("release", `prediction:${id}`);

    expect(listed.output).contain(`prediction:${id}  can be read again`);
    expect(released).deep.equal({
      code: 0,
      output: `prediction:${id} is released; timers that are due fire at once.\n`,
    });
    expect(again).deep.equal({ code: 1, output: `Nothing is parked under prediction:${id}.\n` });
    expect(await entryOf(id)).equal(null);
    await world.sweeper.tick();
    expect((await world.predictions.require(id)).status).equal("locked");
  });

  it("forgets an actor that went on by itself", async () => {
    const id = await parkedPrediction();
    await change(id, 1);
    world.move(1_000);
    await world.predictions.cancel(id, "m");

    expect(await actors("parked")).deep.equal({ code: 0, output: "Nothing is parked.\n" });
    expect(await entryOf(id)).equal(null);
  });

  it("spells out in a name what a terminal would obey, of stores and of arguments", async () => {
    const source = `raid:${newId()}`;
    const name = `${source}\u001b[2K\nall is well`;
    const at = new Date();
    await world.mongo.db.collection<OutboxDoc>("outbox").insertOne({
      _id: newId(),
      actor: name,
      version: 1,
      n: 0,
      target: { users: [] },
      type: "a\u0007type",
      data: {},
      createdAt: at,
      failures: FAILURES,
      parkedAt: at,
    });

    const listed = await actors("parked");
    const released = await actors("release", name);
    const again = await actors("release", name);

    const escaped = `${source}\\u001b[2K\\u000aall is well`;
    expect(listed.output)
      .match(/^.*\n$/)
      .include(`${escaped}  1 outbox row`)
      .include("a\\u0007type");
    expect(released.output).equal(`1 outbox row of ${escaped} will be published again.\n`);
    expect(again.output).equal(`Nothing is parked under ${escaped}.\n`);
  });

  it("lists outbox rows that were set aside, and puts them back in line", async () => {
    const failing = world.rival({ publishRoom: () => Promise.reject(new Error("the room can't take it")) });
    const id = await open(failing);
    const source = `prediction:${id}`;
    await failing.outbox.idle();
    const rows = world.mongo.db.collection<OutboxDoc>("outbox");
    for (let n = 0; n < FAILURES; n++) await failing.outbox.publish(source);
    expect((await rows.findOne({ actor: source }))?.parkedAt).instanceOf(Date);

    const listed = await actors("parked");
    const released = await actors("release", source);

    expect(listed.output).match(
      new RegExp(`^${source}  1 outbox row set aside since \\S+: prediction.opened\n$`),
    );
    expect(released).deep.equal({ code: 0, output: `1 outbox row of ${source} will be published again.\n` });
    expect(await rows.findOne({ actor: source })).include({ failures: 0, parkedAt: null });
    await world.outbox.publish(source);
    expect(world.room.map(({ type, actor }) => [type, actor.ref])).deep.equal([
      ["prediction.opened", source],
    ]);
    expect(await rows.countDocuments({ actor: source })).equal(0);
  });

  it("says how it is used", async () => {
    const { code, output } = await actors("release");

    expect(code).equal(2);
    expect(output).equal("Usage: npm run actors -- parked | release <actor>\n");
  });
});

describe("the list of parked actors", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  it("is bounded: those met longest ago go", async () => {
    const parked = parkedActorsIn(world.mongo.db);
    const entry = (n: number): ParkedActorDoc => {
      const at = new Date(world.clock.now() + n);
      const why = { machine: "raid", reason: "", machineVersion: null };
      return { _id: `raid:${n}`, ...why, since: at, seenAt: at };
    };

    for (let n = 0; n < 6; n++) await parked.note(entry(n), 3);
    await parked.note({ ...entry(3), seenAt: new Date(world.clock.now() + 9) }, 3);
    await parked.note(entry(7), 3);

    expect((await parked.page("", 10)).map(({ _id }) => _id)).deep.equal(["raid:3", "raid:5", "raid:7"]);
    expect((await parked.find("raid:3"))?.since.getTime()).equal(world.clock.now() + 3);
  });

  it("is written once a minute an actor, and has been when its host is idle", async () => {
    const id = newId();
    const rival = world.rival();
    const doc = {
      _id: `prediction:${id}`,
      machine: "prediction",
      machineVersion: 3,
      version: 1,
      snapshot: {},
    };
    const at = new Date(world.clock.now());
    const rest = { commits: [], timers: [], createdAt: at, updatedAt: at };
    await world.mongo.db.collection<SnapshotDoc>("snapshots").insertOne({ ...doc, ...rest });

    for (let n = 0; n < 3; n++) {
      await rival.predictions.lock(id, "m").catch(() => undefined);
      await rival.host.idle();
      world.move(1_000);
    }

    expect(await parkedActorsIn(world.mongo.db).find(`prediction:${id}`)).deep.include({
      since: at,
      seenAt: at,
      machineVersion: 3,
    });
  });
});
