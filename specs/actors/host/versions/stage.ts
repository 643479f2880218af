import { type AnyDefinition, answerOf } from "../../../../actors/host/definition.ts";
import { actorKey, createHost, type Host } from "../../../../actors/host/host.ts";
import { pathOf } from "../../../../actors/host/snapshot-codec.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import { type SnapshotDoc, snapshotsIn } from "../../../../store/mongo/host/snapshots.ts";
import { type TimerDoc, timersIn } from "../../../../store/mongo/host/timers.ts";
import type { World } from "../world.ts";
import { contextOf, type KeptSnapshot } from "./kept.ts";

export type Command = { type: string } & Record<string, unknown>;

/** How a machine under test goes through its states, with real effects and writes. */
export type Driver = {
  definition: AnyDefinition;
  /** Brings actors through all states; calls `stage.keep` in each. */
  drive(stage: Stage): Promise<void>;
  /** The collections that its effects read and write. */
  beside: string[];
  /** Inserts into them what a kept actor needs. */
  plant(kept: KeptSnapshot): Promise<void>;
  /** The commands for a kept actor, by name; its timers are added to these. */
  commands(kept: KeptSnapshot): Record<string, Command>;
};

export type Stage = ReturnType<typeof openStage>;

/** One machine on a host that doesn't continue by itself, so that every state can be observed. */
export function openStage(world: World, driver: Driver) {
  const { mongo } = world;
  const { definition } = driver;
  const parts = { ...world.deps, outbox: world.outbox, machines: [definition] };
  const host: Host = createHost({ ...parts, continueSettling: false });
  const snapshots = mongo.db.collection<SnapshotDoc>("snapshots");
  const timers = mongo.db.collection<TimerDoc>("timers");
  const seen: KeptSnapshot[] = [];

  const stored = async (id: string) => {
    const doc = await snapshotsIn(mongo.db).find(actorKey(definition.name, id));
    if (!doc) throw new Error(`${definition.name} ${id} was never committed`);
    return doc;
  };
  const timersOf = (id: string) => timersIn(mongo.db).ofActor(actorKey(definition.name, id));

  /** The actor's state path, from its stored snapshot. */
  async function pathIn(id: string): Promise<string> {
    const { snapshot } = await stored(id);
    if (typeof snapshot !== "object" || snapshot === null || !("value" in snapshot))
      throw new Error("no state");
    return pathOf(snapshot.value as Parameters<typeof pathOf>[0]);
  }

  async function attempt(id: string, event: () => Promise<unknown>): Promise<string> {
    try {
      await event();
      return await pathIn(id);
    } catch (err) {
      if (err instanceof ServiceError) return err.code;
      throw err;
    }
  }

  async function put({ doc, timers: waiting }: KeptSnapshot): Promise<void> {
    const touched = ["snapshots", "timers", "history", "outbox", ...driver.beside];
    await Promise.all(touched.map((name) => mongo.db.collection(name).deleteMany({})));
    await snapshots.insertOne(doc);
    if (waiting.length > 0) await timers.insertMany(waiting);
  }

  /** The result of each event on a kept actor: the next state, or the refusal. Each starts from the kept snapshot. */
  async function driveOn(kept: KeptSnapshot): Promise<Record<string, string>> {
    const id = kept.doc._id.slice(definition.name.length + 1);
    const sent = Object.entries(driver.commands(kept)).map(([name, command]) => ({
      name,
      at: kept.doc.updatedAt,
      event: () => send(id, command),
    }));
    // The first one must fire; a later one may find that it has led to another state.
    const isFirst = ({ dueAt }: TimerDoc) => kept.timers.every((other) => other.dueAt >= dueAt);
    const fired = kept.timers.map((timer) => ({
      name: `timer ${timer.timerId}`,
      at: timer.dueAt,
      event: () => (isFirst(timer) ? fire(timer) : host.fire(timer)),
    }));
    const goesTo: Record<string, string> = {};
    for (const { name, at, event } of [...sent, ...fired]) {
      await put(kept);
      await driver.plant(kept);
      // Commands are sent while no timer is due: a due one would come first.
      world.move(at.getTime() - world.clock.now());
      goesTo[name] = await attempt(id, event);
    }
    return goesTo;
  }

  const send = async (id: string, command: Command, by: string | null = null) =>
    answerOf(await host.ask(definition, id, command, { by }));

  async function fire(timer: TimerDoc): Promise<void> {
    if ((await host.fire(timer)) === "stale") throw new Error(`the timer ${timer.timerId} is lost`);
  }

  return {
    host,
    seen,
    create: async (id: string, input: object) =>
      answerOf(await host.create(definition, id, input, { by: null })),
    send,
    /** Moves the clock to the actor's first due timer, and fires it. */
    async fireNext(id: string): Promise<void> {
      const [timer] = (await timersOf(id)).sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
      if (!timer) throw new Error(`${definition.name} ${id} waits for nothing`);
      world.move(timer.dueAt.getTime() - world.clock.now());
      await fire(timer);
    },
    /** Records the actor as it is stored now. */
    async keep(id: string): Promise<void> {
      const doc = await stored(id);
      seen.push({
        path: await pathIn(id),
        doc,
        context: contextOf(doc),
        timers: await timersOf(id),
        goesTo: {},
      });
    },
    driveOn,
    stored,
    timersOf,
  };
}

/** One snapshot of every state, as the current code stores it. */
export async function snapshotsOf(world: World, driver: Driver): Promise<KeptSnapshot[]> {
  const stage = openStage(world, driver);
  await driver.drive(stage);
  return stage.seen;
}
