import type { ClientSession, Db } from "mongodb";
import { byIds } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";

/** The outcome of a message that was held for moderators. */
export type HeldOutcome = "approved" | "denied" | "expired";

/** The decision about a held message, with the message's id: there is at most one. */
export type HeldDecisionDoc = {
  _id: string;
  streamId: string;
  outcome: HeldOutcome;
  /** Null when nobody decided: it expired, or its author was banned. */
  by: string | null;
  decidedAt: Date;
};

/** Longer than Redis keeps held messages (a day), in case it loses the removal of a decided one. */
const TTL_SECONDS = 7 * 86_400;

export const heldDecisionsCollection = defineCollection<HeldDecisionDoc>("held_decisions", {
  personal: {
    erase: {
      streamId: { holds: "stream", does: "delete" },
      by: { keep: "it is removed by itself after a week" },
    },
    exports: { nothing: "moderation_by_me has them" },
  },
  indexes: [
    { key: { streamId: 1 } }, // erasure
    { key: { decidedAt: 1 }, expireAfterSeconds: TTL_SECONDS },
  ],
});

export function heldDecisionsIn(db: Db) {
  const decisions = heldDecisionsCollection.in(db);
  return {
    /** An existing decision causes a duplicate key. */
    async insert(docs: HeldDecisionDoc[], session: ClientSession): Promise<void> {
      if (docs.length > 0) await decisions.insertMany(docs, { session });
    },
    find: (heldId: string, session?: ClientSession) =>
      decisions.findOne({ _id: heldId }, session ? { session } : {}),
    findMany: (heldIds: string[], session?: ClientSession) => byIds(decisions, heldIds, session),
  };
}

export type HeldDecisions = ReturnType<typeof heldDecisionsIn>;
