/**
 * A transactional outbox for lines of the audit log, so that none is lost. A line is stored in the transaction of its act. The
 * process that acted writes it to the log right after the commit; the sweep writes the lines that a crashed process, or one
 * that didn't learn of its commit, left behind. What staff did has its row in the staff log from the same moment as its pending line:
 * a sweep of a release before that log may take the line, and knows nothing of rows.
 */
import type { ClientSession } from "mongodb";
import type { Actor, Audit, AuditEvent, AuditFields } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { idempotencyIn } from "../../../store/mongo/driver/idempotency.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { type AuditEntryDoc, auditEntriesIn } from "../../../store/mongo/safety/audit-entries.ts";
import { staffLogIn } from "../../../store/mongo/safety/staff-log.ts";
import { BatchDeleter } from "../../host/batch-deleter.ts";
import { staffLogRow } from "./staff-log-rows.ts";

/** By then the process that acted has written the line, or never will. */
export const SWEEP_AFTER_MS = 10_000;
/** By then an intended act has happened, or never will. */
const DECIDED_AFTER_MS = 30_000;
/** Lines per sweep; more are left to the next one. */
const BATCH = 200;

type Deps = { mongo: Mongo; audit: Audit; clock: Clock; log: Log };

export type AuditTrail = ReturnType<typeof createAuditTrail>;

export function createAuditTrail({ mongo, audit, clock, log }: Deps) {
  const entries = auditEntriesIn(mongo.db);
  const staffLog = staffLogIn(mongo.db);
  const keys = idempotencyIn(mongo.db);
  // In the background: an unavailable store must not delay the announcement of what a ban ended.
  const deleter = new BatchDeleter(entries.remove, (err) =>
    log.warn({ err }, "lines of the audit log may be written twice"),
  );

  function write({ event, by, fields }: AuditEntryDoc): void {
    // Type-safe: `entryOf` took the event together with its own fields.
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

  const rowsOf = (some: AuditEntryDoc[]) => some.flatMap((one) => staffLogRow(one, notedAt(one)) ?? []);

  /** The row of an act whose outcome is known. Until it is as it should be the entry stays, for the sweep. */
  const settling = new Set<Promise<void>>();
  function settle(entry: AuditEntryDoc, row: Promise<void>): void {
    const settled = row
      .then(() => written([entry._id]))
      .catch((err: unknown) => log.warn({ err }, "a row of the staff log is left to the sweep"))
      .finally(() => settling.delete(settled));
    settling.add(settled);
  }

  /** Deletes entries whose lines are in the log. */
  const written = (ids: string[]): void => deleter.add(ids);

  return {
    written,

    /**
     * Runs `work` in one transaction, like `inTransaction`. What it notes gets into the log once that is committed, even when
     * the outcome of the commit is never known here.
     */
    async transact<T>(work: (session: ClientSession, note: Audit) => Promise<T>): Promise<T> {
      const { result, noted } = await inTransaction(mongo.client, async (session) => {
        // Of this attempt alone: one that was late may still go on beside the next.
        const noted: AuditEntryDoc[] = [];
        const note: Audit = (event, by, fields) =>
          void noted.push(entryOf(event, by, fields, { evidence: null, afterMs: SWEEP_AFTER_MS }));
        const result = await work(session, note);
        await entries.insert(noted, session);
        await staffLog.insert(rowsOf(noted), session);
        return { result, noted };
      });
      for (const entry of noted) write(entry);
      written(noted.map(({ _id }) => _id));
      return result;
    },

    /**
     * For an act that is committed elsewhere under an idempotency key, the `evidence`: stores the intent beforehand, with its row. The
     * caller reports the outcome; when it doesn't know, the sweep finds it out by the key.
     */
    async intend<Event extends AuditEvent>(
      evidence: string,
      ...[event, by, fields]: [event: Event, by: Actor, fields: AuditFields<Event>]
    ): Promise<{ done(): void; refused(): void }> {
      const entry = entryOf(event, by, fields, { evidence, afterMs: DECIDED_AFTER_MS });
      await entries.insert([entry]);
      await staffLog.insert(rowsOf([entry]));
      return {
        refused: () => settle(entry, staffLog.remove([entry._id])),
        done() {
          write(entry);
          // There already, unless the sweep came before the act and took it for one that never happened.
          settle(entry, staffLog.put(rowsOf([entry])));
        },
      };
    },

    /** Writes the lines left behind, at least once: if the process dies midway, some are written twice. */
    async sweep(): Promise<void> {
      const now = new Date(clock.now());
      const due = await entries.due(now, BATCH);
      if (due.length === 0) return;
      const evidence = due.flatMap((entry) => entry.evidence ?? []);
      const happened = new Set((await keys.findMany(evidence)).map(({ _id }) => _id));
      const isCommitted = ({ evidence: of }: AuditEntryDoc) => of === null || happened.has(of);
      const committed = due.filter(isCommitted);
      for (const entry of committed) write(entry);
      // Of a release before the staff log, entries are without rows.
      await staffLog.put(rowsOf(committed));
      await staffLog.remove(due.filter((entry) => !isCommitted(entry)).map(({ _id }) => _id));
      await entries.remove(due.map(({ _id }) => _id));
    },

    /** Resolves when no write is in progress. */
    async idle(): Promise<void> {
      await Promise.all(settling);
      await deleter.idle();
    },
  };
}

/** When the act was noted, however late its line is written. */
const notedAt = ({ evidence, dueAt }: AuditEntryDoc): Date =>
  new Date(dueAt.getTime() - (evidence === null ? SWEEP_AFTER_MS : DECIDED_AFTER_MS));
