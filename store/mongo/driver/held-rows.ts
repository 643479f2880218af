import type { Collection, Filter, UpdateFilter } from "mongodb";

/** What rows of the outboxes share; each outbox has some of the fields. */
export type OutboxRow = {
  _id: string;
  createdAt: Date;
  dueAt: Date;
  state?: string;
  sealed?: string | null;
  message?: object | null;
  doneAt?: Date | null;
  parkedAt?: Date | null;
  heldAt?: Date;
};

/** `kind`: a mail's template, a push's type, a notification's way and type, a call's kind and subject. */
export type HeldRow = { _id: string; createdAt: Date; kind: string };

/** How an outbox holds rows. Workers of any release claim only rows that match `waiting` and are due, and so leave held ones alone. */
type Holding = {
  waiting: Filter<OutboxRow>;
  held: Filter<OutboxRow>;
  hold: (at: Date) => UpdateFilter<OutboxRow>;
  release: (dueAt: Date) => UpdateFilter<OutboxRow>;
  /** Null: dropped rows are deleted. */
  drop: ((at: Date) => UpdateFilter<OutboxRow>) | null;
  /** An expression of MongoDB. */
  kind: string | object;
};

/** Of rows that have no state for it: they are due at no time, or parked, and say since when. */
export const HELD_SINCE = { heldAt: { $type: "date" } } as const;

/** Of rows with a state. `content` is deleted when they are dropped. */
export const byState = (content: "sealed" | "message"): Omit<Holding, "kind"> => ({
  waiting: { state: "waiting" },
  held: { state: "held" },
  hold: () => ({ $set: { state: "held" } }),
  release: (dueAt) => ({ $set: { state: "waiting", dueAt } }),
  drop: () => ({ $set: { state: "dropped", [content]: null } }),
});

/**
 * Holds waiting rows of an outbox until an operator releases or drops them. Each change returns its number of rows; `ids` null: all that
 * are held.
 */
export function holdingIn(rows: Collection<OutboxRow>, holding: Holding) {
  const { waiting, held, hold, release, drop, kind } = holding;
  const among = (ids: readonly string[] | null) =>
    ids === null ? held : { ...held, _id: { $in: [...ids] } };

  return {
    hold: async (at: Date): Promise<number> => (await rows.updateMany(waiting, hold(at))).modifiedCount,
    /** Oldest first. */
    held: (limit: number) =>
      rows
        .find(held)
        .project<HeldRow>({ createdAt: 1, kind })
        .sort({ createdAt: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    countHeld: () => rows.countDocuments(held),
    release: async (ids: readonly string[] | null, dueAt: Date): Promise<number> =>
      (await rows.updateMany(among(ids), release(dueAt))).modifiedCount,
    drop: async (ids: readonly string[] | null, at: Date): Promise<number> =>
      drop === null
        ? (await rows.deleteMany(among(ids))).deletedCount
        : (await rows.updateMany(among(ids), drop(at))).modifiedCount,
  };
}
