import type { ClientSession, Db } from "mongodb";
import type { Actor, AuditEvent } from "../audit.ts";
import { defineCollection } from "./collection.ts";

/** A line of the audit log that has to be written: there from its cause on, deleted once the log has it. */
export type AuditEntryDoc = {
  _id: string;
  event: AuditEvent;
  by: Actor;
  fields: object;
  /** Of what was only set out to: the idempotency key that is there if it has happened. Null for what has. */
  evidence: string | null;
  /** From then on the sweep writes it. */
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
  return {
    async insert(docs: AuditEntryDoc[], session?: ClientSession): Promise<void> {
      if (docs.length > 0) await entries.insertMany(docs, session ? { session } : {});
    },
    due: (now: Date, limit: number) =>
      entries
        .find({ dueAt: { $lte: now } })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    remove: async (ids: string[]) => void (await entries.deleteMany({ _id: { $in: ids } })),
  };
}
