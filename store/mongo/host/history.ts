import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** One change of state of one actor; never changed, never deleted. */
export type HistoryDoc = {
  _id: string;
  actor: string;
  version: number;
  /** Index within one commit, from 0. */
  n: number;
  event: string;
  /** Null for the first state; sub-states are dotted ("resolved.paying"). */
  from: string | null;
  to: string;
  /** The user who caused it; null for timers and external systems. */
  by: string | null;
  at: Date;
  /** The time at the source, if it differs from the time of arrival. */
  happenedAt?: Date;
  /** The code of a refused message: not a change of state, kept for operators. */
  refused?: string;
};

export const historyCollection = defineCollection<HistoryDoc>("history", {
  personal: {
    erase: { by: "anonymise" },
    exports: { nothing: "what came of it is exported with the things themselves" },
  },

  indexes: [
    { key: { actor: 1, version: 1, n: 1 }, unique: true }, // page, lately
  ],
});

export function historyIn(db: Db) {
  const history = historyCollection.in(db);
  return {
    async insert(rows: HistoryDoc[], session: ClientSession): Promise<void> {
      if (rows.length > 0) await history.insertMany(rows, { session });
    },
    /** The latest changes of state, newest first. */
    lately: (actor: string, limit: number) =>
      history
        .find({ actor, refused: { $exists: false } })
        .sort({ version: -1, n: -1 })
        .limit(limit)
        .toArray(),
    /** Changes of state, oldest first. */
    page(actor: string, range: Range) {
      const changes = { actor, refused: { $exists: false } };
      return pageIn(history, changes, { version: 1, n: 1 }, range);
    },
  };
}
