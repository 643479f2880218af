import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { outboxIn, type ParkedRows } from "../../store/mongo/host/outbox.ts";
import { type ParkedActorDoc, parkedActorsIn } from "../../store/mongo/host/parked-actors.ts";
import { type SnapshotDoc, snapshotsIn } from "../../store/mongo/host/snapshots.ts";
import { timersIn } from "../../store/mongo/host/timers.ts";
import type { AnyDefinition } from "./definition.ts";
import { machineOf, reasonOf } from "./parked-reporter.ts";
import { restore, UnreadableSnapshot } from "./snapshot-codec.ts";

/** A parked actor as the running code sees it. `wrong` says why it can't be read; null when it can be read again. */
export type ParkedActor = Pick<ParkedActorDoc, "_id" | "since" | "seenAt"> & { wrong: string | null };

export type Parked = { actors: ParkedActor[]; sources: ParkedRows[]; isMore: boolean };

export type Release =
  | { kind: "released"; isActor: boolean; rows: number }
  | { kind: "unreadable"; wrong: string }
  | { kind: "nothing" };

const PAGE = 500;
/** Entries of each kind in one listing, at most. */
const MAX_LISTED = 1_000;

/** The dead letters that wait for an operator: actors whose snapshots couldn't be read, and parked outbox rows. */
export function createParkedAdmin({ mongo, machines }: { mongo: Mongo; machines: AnyDefinition[] }) {
  const parked = parkedActorsIn(mongo.db);
  const snapshots = snapshotsIn(mongo.db);
  const timers = timersIn(mongo.db);
  const outbox = outboxIn(mongo.db);
  const known = new Map(machines.map((definition) => [definition.name, definition]));

  /** Why the running code can't read this snapshot; null when it can. */
  function faultOf(doc: SnapshotDoc): string | null {
    const definition = known.get(machineOf(doc._id));
    if (!definition) return `there is no machine ${machineOf(doc._id)}`;
    try {
      restore(definition, doc);
      return null;
    } catch (err) {
      if (err instanceof UnreadableSnapshot) return reasonOf(err);
      throw err;
    }
  }

  /** Null when the actor is no longer parked: it has committed since, or doesn't exist. */
  async function recheck({ _id, since, seenAt }: ParkedActorDoc): Promise<ParkedActor | null> {
    const doc = await snapshots.find(_id);
    if (!doc) return null;
    const wrong = faultOf(doc);
    return wrong === null && doc.updatedAt > seenAt ? null : { _id, since, seenAt, wrong };
  }

  async function listActors(): Promise<{ actors: ParkedActor[]; isMore: boolean }> {
    const actors: ParkedActor[] = [];
    for (let after = ""; ; ) {
      const page = await parked.page(after, PAGE);
      const checked = await Promise.all(page.map(recheck));
      await parked.remove(page.filter((_, i) => !checked[i]));
      actors.push(...checked.filter((actor) => actor !== null));
      const last = page.at(-1);
      const isOver = page.length < PAGE || !last;
      if (isOver || actors.length >= MAX_LISTED)
        return { actors: actors.slice(0, MAX_LISTED), isMore: !isOver || actors.length > MAX_LISTED };
      after = last._id;
    }
  }

  return {
    /** Checks each again and drops actors that have recovered by themselves. Lists at most 1,000 of each kind. */
    async list(): Promise<Parked> {
      const [listed, sources] = await Promise.all([listActors(), outbox.parked(MAX_LISTED + 1)]);
      const isMore = listed.isMore || sources.length > MAX_LISTED;
      return { actors: listed.actors, sources: sources.slice(0, MAX_LISTED), isMore };
    },

    /**
     * Releases an actor that can be read again, so that its timers are due at once, and parked rows of an outbox source, so
     * that they are published again; a name may be both. An actor that can't be read stays parked.
     */
    async release(name: string): Promise<Release> {
      const [entry, doc, hasRows] = await Promise.all([
        parked.find(name),
        snapshots.find(name),
        outbox.hasParked(name),
      ]);
      if (!entry && !hasRows) return { kind: "nothing" };
      const wrong = doc && faultOf(doc);
      if (wrong) return { kind: "unreadable", wrong };
      if (entry) {
        await timers.free(name);
        await parked.remove([entry]);
      }
      return { kind: "released", isActor: entry !== null, rows: await outbox.release(name) };
    },
  };
}
