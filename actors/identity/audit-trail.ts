/**
 * Lines of the audit log that aren't lost with an answer. What is to be written there is kept with the act itself; who acted
 * writes it right after the commit, and the sweep what a dead process, or one that didn't learn of its commit, left.
 */
import type { ClientSession } from "mongodb";
import type { Actor, Audit, AuditEvent, AuditFields } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import { type AuditEntryDoc, auditEntriesIn } from "../../store/mongo/audit-entries.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { idempotencyIn } from "../../store/mongo/idempotency.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { BatchDeleter } from "../host/batch-deleter.ts";

/** Whoever acted has written the line by then, or never will. */
export const LEFT_AFTER_MS = 10_000;
/** An act that was set out to has happened by then, or never will. */
const DECIDED_AFTER_MS = 30_000;
/** Of one sweep; more are left to the next. */
const BATCH = 200;

type Deps = { mongo: Mongo; audit: Audit; clock: Clock; log: Log };

export type AuditTrail = ReturnType<typeof createAuditTrail>;

export function createAuditTrail({ mongo, audit, clock, log }: Deps) {
  const entries = auditEntriesIn(mongo.db);
  const keys = idempotencyIn(mongo.db);
  // In the background: what a ban ends isn't kept waiting by a store that has gone away.
  const deleter = new BatchDeleter(entries.remove, (err) =>
    log.warn({ err }, "lines of the audit log may be written twice"),
  );

  function write({ event, by, fields }: AuditEntryDoc): void {
    // They were noted together, by an event and the fields that are its own.
    (audit as (event: AuditEvent, by: Actor, fields: object) => void)(event, by, fields);
  }

  function entryOf<Event extends AuditEvent>(
    event: Event,
    by: Actor,
    fields: AuditFields<Event>,
    { evidence, afterMs }: { evidence: string | null; afterMs: number },
  ): AuditEntryDoc {
    return { _id: newId(), event, by, fields, evidence, dueAt: new Date(clock.now() + afterMs) };
  }

  /** What is in the log, to be forgotten. */
  const written = (ids: string[]): void => deleter.add(ids);

  return {
    written,

    /**
     * Runs `work` in one transaction, as `inTransaction` does. What it notes is in the log once that is committed, also
     * when nobody learns that it is.
     */
    async transact<T>(work: (session: ClientSession, note: Audit) => Promise<T>): Promise<T> {
      let noted: AuditEntryDoc[] = [];
      const note: Audit = (event, by, fields) =>
        void noted.push(entryOf(event, by, fields, { evidence: null, afterMs: LEFT_AFTER_MS }));
      const result = await inTransaction(mongo.client, async (session) => {
        noted = [];
        const done = await work(session, note);
        await entries.insert(noted, session);
        return done;
      });
      for (const entry of noted) write(entry);
      written(noted.map(({ _id }) => _id));
      return result;
    },

    /**
     * For an act that is committed elsewhere under an idempotency key, the `evidence`: notes what somebody sets out to do.
     * The caller says what became of it; where it doesn't know, the sweep finds out.
     */
    async intend<Event extends AuditEvent>(
      evidence: string,
      ...[event, by, fields]: [event: Event, by: Actor, fields: AuditFields<Event>]
    ): Promise<{ done(): void; refused(): void }> {
      const entry = entryOf(event, by, fields, { evidence, afterMs: DECIDED_AFTER_MS });
      await entries.insert([entry]);
      const refused = () => written([entry._id]);
      return {
        refused,
        done() {
          write(entry);
          refused();
        },
      };
    },

    /** Writes what was left. A process that dies in the middle leaves lines that are written twice. */
    async sweep(): Promise<void> {
      const now = new Date(clock.now());
      const due = await entries.due(now, BATCH);
      if (due.length === 0) return;
      const evidence = due.flatMap((entry) => entry.evidence ?? []);
      const happened = new Set((await keys.findMany(evidence)).map(({ _id }) => _id));
      for (const entry of due) if (entry.evidence === null || happened.has(entry.evidence)) write(entry);
      await entries.remove(due.map(({ _id }) => _id));
    },

    /** Resolves when nothing is under way any more. */
    idle: () => deleter.idle(),
  };
}
