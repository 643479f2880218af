import type { ClientSession, Db } from "mongodb";
import type { Actor, AuditEvent } from "../../../base/audit.ts";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";

/** A pending line of the audit log (outbox): written with its cause, deleted once it is in the log. */
export type AuditEntryDoc = {
  _id: string;
  event: AuditEvent;
  by: Actor;
  fields: object;
  /** For an intended action: the idempotency key that exists if it happened. Null for one that has happened. */
  evidence: string | null;
  /** From this time on the sweep writes it. */
  dueAt: Date;
};

const LOGGED = "it is removed when the audit log has it, a moment after its cause";

export const auditEntriesCollection = defineCollection<AuditEntryDoc>("audit_entries", {
  personal: {
    erase: {
      by: { keep: LOGGED },
      fields: { keep: LOGGED },
      evidence: { keep: LOGGED },
      _id: { keep: LOGGED },
    },
    exports: { nothing: "lines of the operator's log on their way there" },
  },
  indexes: [{ key: { dueAt: 1 } }], // due
});

export function auditEntriesIn(db: Db) {
  const entries = auditEntriesCollection.in(db);
  const batchedFind = batchedFinds(db);
  return {
    async insert(docs: AuditEntryDoc[], session?: ClientSession): Promise<void> {
      if (docs.length > 0) await entries.insertMany(docs, session ? { session } : {});
    },
    due: (now: Date, limit: number) =>
      batchedFind(entries, { dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit }),
    remove: async (ids: string[]) => void (await entries.deleteMany({ _id: { $in: ids } })),
  };
}
