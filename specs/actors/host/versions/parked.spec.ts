import { expect } from "chai";
import { createHost } from "../../../../actors/host/host.ts";
import { type HostMetrics, noMetrics } from "../../../../actors/host/metrics.ts";
import { UnreadableSnapshot } from "../../../../actors/host/snapshot-codec.ts";
import { predictionDefinition } from "../../../../actors/points/prediction/definition.ts";
import { toServiceError } from "../../../../api/http/error-response.ts";
import { newId } from "../../../../base/ids.ts";
import { createTimerSweeper } from "../../../../jobs/host/timers/sweeper.ts";
import type { SnapshotDoc } from "../../../../store/mongo/host/snapshots.ts";
import { type TimerDoc, timersIn } from "../../../../store/mongo/host/timers.ts";
import { openWorld, type World } from "../world.ts";

const NEWER = { machineVersion: 99 };

describe("an actor whose snapshot this code can't read", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const snapshots = () => world.mongo.db.collection<SnapshotDoc>("snapshots");
  const stored = (id: string) => snapshots().findOne({ _id: `prediction:${id}` });
  const linesOf = (id: string, level: string, what: string) =>
    world.lines.filter(
      (line) =>
        line.level === level &&
        line.message.includes(what) &&
        "actor" in line.fields &&
        line.fields.actor === `prediction:${id}`,
    );
  const alertsOf = (id: string) => linesOf(id, "error", "parked");
  const triesOf = (id: string) => linesOf(id, "warn", "could not be fired");
  const statusOf = async (id: string) => (await world.predictions.require(id)).status;

  async function open(durationSeconds = 60) {
    const stream = await world.stream();
    const input = { stream, title: "?", outcomes: [{ title: "yes" }, { title: "no" }], durationSeconds };
    return (await world.predictions.open({ ...input, by: stream.userId }))._id;
  }

  const timersOf = (id: string) => timersIn(world.mongo.db).ofActor(`prediction:${id}`);
  /** Apart from who tries them at the moment. */
  const unleased = (timers: TimerDoc[]) => timers.map((timer) => ({ ...timer, leasedUntil: null }));
  /** As other code would leave it, with a version of its own. */
  const change = (id: string, to: Partial<SnapshotDoc>) =>
    snapshots().updateOne({ _id: `prediction:${id}` }, { $set: to, $inc: { version: 1 } });

  async function contextOf(id: string): Promise<object> {
    const { snapshot } = (await stored(id)) ?? {};
    if (typeof snapshot !== "object" || snapshot === null || !("context" in snapshot))
      throw new Error("none");
    return snapshot.context as object;
  }

  const unreadable: Record<string, (context: object) => Partial<SnapshotDoc>> = {
    "of a newer version": () => NEWER,
    "of a version that there never was": () => ({ machineVersion: 0 }),
    "without a version": () => ({ machineVersion: Number.NaN }),
    "of another machine": () => ({ machine: "raid" }),
    "in a state that was removed": (context) => ({ snapshot: { value: "paused", context } }),
    "in a part of a state that was removed": (context) => ({
      snapshot: { value: { resolved: "waiting" }, context },
    }),
    "in half a state": (context) => ({ snapshot: { value: "resolved", context } }),
    "in two states": (context) => ({ snapshot: { value: { resolved: "paid", active: {} }, context } }),
    "in no state": (context) => ({ snapshot: { value: {}, context } }),
    "without a context": () => ({ snapshot: { value: "active" } }),
    "with a list for a context": () => ({ snapshot: { value: "active", context: [] } }),
    "with a field of its context missing": ({ title: _gone, ...context }: { title?: unknown }) => ({
      snapshot: { value: "active", context },
    }),
    "with a field of another type in its context": (context) => ({
      snapshot: { value: "active", context: { ...context, outcomes: "yes or no" } },
    }),
    "that is a number": () => ({ snapshot: 7 }),
    "that is empty": () => ({ snapshot: null }),
  };

  for (const [what, made] of Object.entries(unreadable)) {
    it(`is parked, untouched and with an alert, for one ${what}`, async () => {
      const [id, other] = [await open(), await open()];
      await change(id, made(await contextOf(id)));
      const before = await stored(id);

      const err = await world.predictions.lock(id, "m").catch((reason: unknown) => reason);

      expect(err).instanceOf(UnreadableSnapshot);
      expect(toServiceError(err)).include({ code: "unavailable", status: 503 });
      expect(await stored(id)).deep.equal(before);
      expect(alertsOf(id)).length(1);
      await world.predictions.lock(other, "m");
      expect(await statusOf(other)).equal("locked");
    });
  }

  it("is parked when its migration fails on it, and counted", async () => {
    const id = await open();
    const parked: string[] = [];
    const current = predictionDefinition(world.mongo.db);
    const definition = {
      ...current,
      version: current.version + 1,
      migrations: {
        [current.version]: () => {
          throw new TypeError("there is no such field");
        },
      },
    };
    const metrics: HostMetrics = {
      ...noMetrics,
      parked: (_, { machine }) => void parked.push(machine),
    };
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition], metrics });

    const err = await host.ask(definition, id, { type: "lock" }, { by: "m" }).catch((e: unknown) => e);

    expect(err).instanceOf(UnreadableSnapshot).property("cause").instanceOf(TypeError);
    expect(parked).deep.equal(["prediction"]);
  });

  it("keeps its timer, tried ever more rarely, and goes on by itself once fitting code is there", async () => {
    const [id, other] = [await open(60), await open(60)];
    await change(id, NEWER);
    const timers = await timersOf(id);

    for (let second = 0; second <= 600; second += 5) await world.pass(second === 0 ? 60_000 : 5_000);

    expect(await statusOf(other)).equal("locked");
    expect(await statusOf(id)).equal("active");
    expect(triesOf(id).length).within(10, 20);
    expect(alertsOf(id)).length(1);
    expect(unleased(await timersOf(id))).deep.equal(unleased(timers));

    await change(id, { machineVersion: predictionDefinition(world.mongo.db).version });
    await world.pass(60_000);
    expect(await statusOf(id)).equal("locked");
  });

  it("doesn't keep the timers of others waiting, however many like it there are", async () => {
    const [id, last] = [await open(60), await open(61)];
    await change(id, NEWER);
    const like = await stored(id);
    const timer = (await timersOf(id)).find(
      ({ timerId }) => timerId === "xstate.after.betting.prediction.active",
    );
    if (!like || !timer) throw new Error("an open prediction is stored, with a timer");
    const actors = Array.from({ length: 450 }, () => `prediction:${newId()}`);
    await snapshots().insertMany(actors.map((_id) => ({ ...like, _id })));
    await world.mongo.db
      .collection<TimerDoc>("timers")
      .insertMany(actors.map((actor) => ({ ...timer, _id: newId(), actor })));

    await world.pass(61_000);
    const again = await world.sweeper.tick();

    expect(await statusOf(last)).equal("locked");
    expect(again).equal(0);
  });

  it("is right away served by a process with the newer code, beside one with the older", async () => {
    const id = await open(60);
    const current = predictionDefinition(world.mongo.db);
    const definition = { ...current, version: current.version + 1 };
    await change(id, { machineVersion: definition.version });
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition] });
    const { mongo, clock, deps } = world;
    const newer = createTimerSweeper({ host, mongo, clock, log: deps.log });

    await world.pass(60_000); // the older one had the timer first
    expect(await statusOf(id)).equal("active");
    world.move(1_000);
    await newer.tick();

    expect(await statusOf(id)).equal("locked");
    expect((await stored(id))?.machineVersion).equal(definition.version);
    await host.stop();
  });
});
