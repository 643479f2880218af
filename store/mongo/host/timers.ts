import type { ClientSession, Db } from "mongodb";
import { loadingOne } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";

/** An event that an actor is to get at a time. It is added and removed only by its actor's commits. */
export type TimerDoc = {
  _id: string;
  actor: string;
  /** The machine's name for it: unique per actor. */
  timerId: string;
  event: { type: string };
  dueAt: Date;
  /** Set for messages between actors: who caused it, and the input with which the actor may be created. */
  message?: { by: string | null; input: object | null };
  /** End of its lease; in the past = free. */
  leasedUntil: Date;
  leasedBy: string | null;
};

/** What a commit does to one actor's timers. */
type TimerChange = { readonly actor: string; readonly remove: string[]; readonly add: TimerDoc[] };

export const timersCollection = defineCollection<TimerDoc>("timers", {
  personal: {
    erase: { message: { keep: "it is removed when it is fired, a moment after its cause" } },
    exports: { nothing: "what is about to happen to things that are exported" },
  },

  indexes: [
    { key: { actor: 1, timerId: 1 }, unique: true },
    { key: { dueAt: 1, leasedUntil: 1 } }, // claimDue
    { key: { leasedBy: 1 } }, // claimDue, freeOf
  ],
});

export function timersIn(db: Db) {
  const timers = timersCollection.in(db);
  const load = loadingOne(timers);
  return {
    async findMany(ids: string[]): Promise<TimerDoc[]> {
      return (await Promise.all(ids.map(load))).filter((timer) => timer !== null);
    },
    removeOf: async (actors: string[]) => void (await timers.deleteMany({ actor: { $in: actors } })),
    ofActor: (actor: string) => timers.find({ actor }).toArray(),

    /** Leases at most `limit` due timers to `holder` until `leasedUntil`, earliest first. */
    async claimDue(now: Date, leasedUntil: Date, holder: string, limit: number): Promise<TimerDoc[]> {
      const free = { dueAt: { $lte: now }, leasedUntil: { $lte: now } };
      const due = await timers.find(free).sort({ dueAt: 1 }).limit(limit).toArray();
      if (due.length === 0) return [];
      const ids = due.map((timer) => timer._id);
      const { modifiedCount } = await timers.updateMany(
        { _id: { $in: ids }, leasedUntil: { $lte: now } },
        { $set: { leasedUntil, leasedBy: holder } },
      );
      if (modifiedCount === due.length)
        return due.map((timer) => ({ ...timer, leasedUntil, leasedBy: holder }));
      // Another holder took some of them in the meantime.
      return timers
        .find({ leasedBy: holder, _id: { $in: ids } })
        .sort({ dueAt: 1 })
        .toArray();
    },

    /** Releases the leases of dead holders. */
    async freeOf(holders: string[]): Promise<void> {
      if (holders.length === 0) return;
      await timers.updateMany(
        { leasedBy: { $in: holders } },
        { $set: { leasedUntil: new Date(0), leasedBy: null } },
      );
    },

    /** Releases the lease of a timer that couldn't be fired; it is retried from then on. */
    release: async (id: string, holder: string, from: Date) =>
      void (await timers.updateOne(
        { _id: id, leasedBy: holder },
        { $set: { leasedUntil: from, leasedBy: null } },
      )),

    /** Makes an actor's timers that wait for a retry available to the next sweep; leased ones stay leased. */
    free: async (actor: string) =>
      void (await timers.updateMany({ actor, leasedBy: null }, { $set: { leasedUntil: new Date(0) } })),

    /** Messages of a commit to other actors. */
    async send(messages: TimerDoc[], session: ClientSession): Promise<void> {
      if (messages.length > 0) await timers.insertMany(messages, { session });
    },

    drop: async (ids: string[]) => void (await timers.deleteMany({ _id: { $in: ids } })),

    /** Applies a commit: first removes by name, then adds. */
    async change(changes: TimerChange[], session: ClientSession): Promise<void> {
      const removed = changes
        .filter(({ remove }) => remove.length > 0)
        .map(({ actor, remove }) => ({ actor, timerId: { $in: remove } }));
      const [only] = removed;
      if (only) await timers.deleteMany(removed.length === 1 ? only : { $or: removed }, { session });
      const added = changes.flatMap(({ add }) => add);
      if (added.length > 0) await timers.insertMany(added, { session });
    },
  };
}
