// @waits: for timers.
import { expect } from "chai";
import { createHost } from "../../../actors/host/host.ts";
import { processClock } from "../../../base/clock.ts";
import { HOUR_MS } from "../../../base/durations.ts";
import { MongoDeadline } from "../../../base/failures/mongo.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import { createTimerSweeper, startTimerSweeper } from "../../../jobs/host/timers/sweeper.ts";
import { type TimerDoc, timersIn } from "../../../store/mongo/host/timers.ts";
import { eventually } from "../../support/eventually.ts";
import { counterDefinition } from "./counter.ts";
import { openWorld, type World } from "./world.ts";

describe("timers", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  async function open(durationSeconds = 60) {
    const stream = await world.stream();
    const outcomes = [{ title: "yes" }, { title: "no" }];
    const prediction = await world.predictions.open({
      stream,
      title: "?",
      outcomes,
      durationSeconds,
      by: stream.userId,
    });
    return { stream, id: prediction._id, locksAt: prediction.locksAt };
  }

  const statusOf = async (id: string) => (await world.predictions.require(id)).status;
  const timersOf = (id: string) => timersIn(world.mongo.db).ofActor(`prediction:${id}`);

  it("lock a prediction at locks_at, not a millisecond earlier", async () => {
    const { id, locksAt } = await open(60);
    expect(locksAt.getTime()).equal(world.clock.now() + 60_000);

    await world.pass(59_999);
    expect(await statusOf(id)).equal("active");
    await world.pass(1);

    expect(await statusOf(id)).equal("locked");
  });

  it("cancel a prediction that is locked for 24 h without a result, and refund it", async () => {
    const { stream, id } = await open(60);
    const [user = ""] = await world.viewers(stream, 1, 100);
    const outcomeId = (await world.predictions.require(id)).outcomes[0]?.id ?? "";
    await world.predictions.bet({ predictionId: id, outcomeId, amount: 100, userId: user });
    await world.pass(60_000);

    await world.pass(24 * HOUR_MS - 1);
    expect(await statusOf(id)).equal("locked");
    await world.pass(1);
    await world.settled();

    expect(await statusOf(id)).equal("cancelled");
    expect((await world.points.balance(user, stream.userId)).balance).equal(100);
  });

  it("go with the state that set them", async () => {
    const { stream, id } = await open(60);
    expect((await timersOf(id)).map((timer) => timer.timerId)).deep.equal([
      "xstate.after.betting.prediction.active",
    ]);

    await world.predictions.lock(id, stream.userId);
    expect((await timersOf(id)).map((timer) => timer.timerId)).deep.equal([
      "xstate.after.forgotten.prediction.locked",
    ]);
    await world.predictions.cancel(id, stream.userId);

    expect(await timersOf(id)).deep.equal([]);
  });

  it("do nothing when they are stale: fired after their state was left", async () => {
    const { stream, id } = await open(60);
    const [timer] = await timersOf(id);
    if (!timer) throw new Error("an open prediction has a timer");
    await world.predictions.lock(id, stream.userId);

    expect(await world.host.fire(timer)).equal("stale");
    expect(await statusOf(id)).equal("locked");
  });

  it("fire once, however many processes sweep at the same time", async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => open(30)));
    const rival = world.rival();
    const { mongo, clock, deps } = world;
    const other = createTimerSweeper({ host: rival.host, mongo, clock, log: deps.log });
    world.move(30_000);

    const fired = await Promise.all([world.sweeper.tick(), other.tick(), world.sweeper.tick()]);

    expect(fired.reduce((a, b) => a + b, 0)).equal(20);
    for (const { id } of many) {
      expect(await statusOf(id)).equal("locked");
      const { items } = await world.predictions.history(id, { skip: 0, limit: 10 });
      expect(items.map((change) => [change.from, change.to, change.by])).deep.equal([
        [null, "active", items[0]?.by],
        ["active", "locked", null],
      ]);
    }
  });

  it("pass to another sweeper when theirs dies with them in hand, once the lease is over", async () => {
    const { id } = await open(30);
    const dead = { fire: () => new Promise<never>(() => undefined) };
    const { mongo, clock, deps } = world;
    world.move(30_000);
    void createTimerSweeper({ host: dead, mongo, clock, log: deps.log }).tick();
    while ((await timersOf(id))[0]?.leasedBy === null);

    await world.pass(4_999);
    expect(await statusOf(id)).equal("active");
    await world.pass(1);

    expect(await statusOf(id)).equal("locked");
  });

  it("are fired undisturbed however long it takes: no sign of life touches what their commit removes", async () => {
    const { mongo, deps } = world;
    const holders = mongo.db.collection<{ aliveUntil: Date }>("timer_holders");
    const disturbed: unknown[] = [];
    const log: Log = {
      ...deps.log,
      debug(fields: object | string) {
        // An attempt that a slow machine gave up wasn't disturbed.
        const err = typeof fields === "object" && "attempt" in fields && "err" in fields ? fields.err : null;
        if (err !== null && !(err instanceof MongoDeadline)) disturbed.push(err);
      },
    };
    const beats = new Set<number>();
    // As slow as the next sign of life takes to come, which is less than an attempt may take.
    const definition = counterDefinition(async () => {
      await eventually(async () => {
        // Those of the other specs are far ahead.
        const mine = { aliveUntil: { $lt: new Date(processClock.now() + HOUR_MS) } };
        for (const { aliveUntil } of await holders.find(mine).toArray()) beats.add(aliveUntil.getTime());
        return beats.size >= 2;
      });
    });
    const clock = processClock;
    const host = createHost({ ...deps, clock, log, outbox: world.outbox, machines: [definition] });
    const id = newId();
    await host.create(definition, id, { start: 0 }, { by: null });
    const message = { by: null, input: null };
    const event = { type: "add", amount: 1 };
    await mongo.db.collection<TimerDoc>("timers").insertOne({
      _id: newId(),
      actor: `counter:${id}`,
      timerId: "message:a",
      event,
      message,
      dueAt: new Date(),
      leasedUntil: new Date(0),
      leasedBy: null,
    });
    const sweeper = startTimerSweeper({ host, mongo, clock, log: deps.log, intervalMs: 20 });

    await eventually(async () => (await timersIn(mongo.db).ofActor(`counter:${id}`)).length === 0);
    await sweeper.stop();

    expect(disturbed).deep.equal([]);
  });

  it("aren't kept waiting by a hundred others whose actors are locked", async () => {
    const { mongo, clock, deps } = world;
    const locked = await Promise.all(Array.from({ length: 150 }, () => open(30)));
    world.move(30_000);
    const fired: string[] = [];
    const stuck = new Set(locked.map(({ id }) => `prediction:${id}`));
    const host = {
      fire: (timer: TimerDoc) =>
        stuck.has(timer.actor)
          ? new Promise<never>(() => undefined)
          : Promise.resolve(fired.push(timer.actor)).then(() => "stale" as const),
    };
    const late = await open(0);
    await mongo.db
      .collection("timers")
      .updateOne({ actor: `prediction:${late.id}` }, { $set: { dueAt: new Date(clock.now()) } });
    const sweeper = createTimerSweeper({ host, mongo, clock, log: deps.log });

    await Promise.all([sweeper.sweep(), eventually(() => fired.length === 1)]);

    expect(fired).deep.equal([`prediction:${late.id}`]);
  });

  it("stay unclaimed while clocks differ, also from the middle of a sweep on", async () => {
    const { id } = await open(30);
    const { mongo, deps, clock } = world;
    const ahead = { now: () => clock.now() + 300_000, isTrusted: () => false };
    const host = { fire: () => Promise.reject(new Error("no timer is due")) };

    expect(await createTimerSweeper({ host, mongo, clock: ahead, log: deps.log }).sweep()).equal(0);

    expect((await timersOf(id)).map(({ leasedBy }) => leasedBy)).deep.equal([null]);
  });

  it("come again a second later when firing failed", async () => {
    const { id } = await open(30);
    const failing = { fire: () => Promise.reject(new Error("the store is unavailable")) };
    const { mongo, clock, deps } = world;
    world.move(30_000);
    await createTimerSweeper({ host: failing, mongo, clock, log: deps.log }).tick();

    await world.pass(999);
    expect(await statusOf(id)).equal("active");
    await world.pass(1);

    expect(await statusOf(id)).equal("locked");
  });

  it("know the machines of their host alone: an unknown one is left where it is", async () => {
    const { id } = await open(30);
    const { deps, outbox, mongo, clock } = world;
    const bare = createHost({ ...deps, outbox, machines: [] });
    world.move(30_000);
    await createTimerSweeper({ host: bare, mongo, clock, log: deps.log }).tick();

    expect(await timersOf(id)).length(1);
    await world.pass(1_000);
    expect(await statusOf(id)).equal("locked");
  });
});
