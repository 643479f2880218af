/**
 * An inbox for webhooks of other services: reports are stored before they are answered, then applied, with retries until that
 * succeeds.
 * 1. Reports are deduplicated by id; a repeated one gets the same answer and does nothing.
 * 2. A report about a subject that doesn't exist yet waits, and is applied after the report that brings the subject. If that
 *    hasn't come within 30 days, it is set aside.
 * 3. Reports that contradict our own records are set aside (dead letter): kept, never applied, and alerted.
 */
import type { TSchema } from "typebox";
import type { Clock } from "../../base/clock.ts";
import { DAY_MS, MINUTE_MS } from "../../base/durations.ts";
import type { Log } from "../../base/log.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { type HookDoc, hooksIn } from "../../store/mongo/monetization/hooks.ts";
import { exponentialBackoff } from "../host/exponential-backoff.ts";
import { requireValid, type Static } from "../host/schemas.ts";
import type { OnAlert } from "./metrics.ts";

/** How long ids are kept for deduplication. */
const ID_TTL_MS = 7 * DAY_MS;
/** How long a report waits for its subject. */
const WAITING_MS = 30 * DAY_MS;
/** After this time the sweep applies a report that was received but not applied. */
const SWEEP_AFTER_MS = 10_000;
const pauseAfter = exponentialBackoff(1_000, 10 * MINUTE_MS);
/** Failures after which it alerts. */
const ALERT_AFTER_FAILURES = 8;
/** Reports per sweep; more are left to the next. */
const BATCH = 200;

export type Report<Data = Record<string, unknown>> = {
  /** The event's own id, the same in every repetition. */
  id: string;
  /** When it happened, by the reporter's clock. */
  createdAt: Date;
  data: Data;
};

/** The result of applying a report; one that `brings` subjects wakes the reports that wait for them. */
export type Outcome = "applied" | "waiting" | { brings: readonly string[] } | { setAside: string };

type Handler = {
  /** Throws `validation_failed`. */
  check(data: Record<string, unknown>): void;
  subject(data: Record<string, unknown>): string | null;
  apply(report: Report): Promise<Outcome>;
};

/** Handlers by type of report; unknown types are ignored. */
export type HookHandlers = Readonly<Record<string, Handler>>;

/** `data` is a schema that accepts unknown fields; `subject` returns what the report may have to wait for, or null. */
export function hookHandler<Schema extends TSchema>(handler: {
  data: Schema;
  subject(data: Static<Schema>): string | null;
  apply(report: Report<Static<Schema>>): Promise<Outcome>;
}): Handler {
  const read = (data: Record<string, unknown>): Static<Schema> => {
    requireValid("body/data", data, handler.data);
    // Validated by the schema just now.
    return data as Static<Schema>;
  };
  return {
    check: (data) => void read(data),
    subject: (data) => handler.subject(read(data)),
    apply: (report) => handler.apply({ ...report, data: read(report.data) }),
  };
}

type Deps = { mongo: Mongo; clock: Clock; log: Log; onAlert: OnAlert };

export type HookInbox = ReturnType<typeof createHookInbox>;

/** `source` is the namespace of one reporter's ids. */
export function createHookInbox(
  source: string,
  handlers: HookHandlers,
  { mongo, clock, log, onAlert }: Deps,
) {
  const hooks = hooksIn(mongo.db);
  const after = (ms: number) => new Date(clock.now() + ms);
  const handlerOf = (type: string) => (Object.hasOwn(handlers, type) ? handlers[type] : undefined);

  /** Returns the subjects that other reports may wait for. */
  async function apply(doc: HookDoc): Promise<readonly string[]> {
    const handler = handlerOf(doc.type);
    // Reports of unknown types aren't stored, so a newer release, which knows this type, has stored it.
    if (!handler) throw new Error("only a newer release knows this type of report");
    const outcome = await handler.apply(doc.event);
    if (outcome !== "waiting") return finish(doc, outcome);
    if (doc.state === "waiting") return finish(doc, { setAside: "what it is about never came" });
    await hooks.settle(doc._id, { state: "waiting", dueAt: after(WAITING_MS) });
    // Its subject may have come before the report was marked as waiting, so apply it once more.
    const again = await handler.apply(doc.event);
    return again === "waiting" ? [] : finish(doc, again);
  }

  async function finish(doc: HookDoc, outcome: Exclude<Outcome, "waiting">): Promise<readonly string[]> {
    if (outcome === "applied" || "brings" in outcome) {
      const subjects = outcome === "applied" ? [] : outcome.brings;
      // Wake before marking it as applied: after a crash in between it is applied again (idempotent), and wakes them then.
      if (subjects.length > 0) await hooks.wake(source, subjects, after(0));
      await hooks.applied(doc._id, after(ID_TTL_MS));
      return subjects;
    }
    const { setAside: reason } = outcome;
    await hooks.settle(doc._id, { state: "set_aside", reason, expiresAt: null });
    log.error({ hook: doc._id, type: doc.type, reason }, "a report was set aside");
    onAlert(source, "hook_set_aside");
    return [];
  }

  /** Never rejects because of one report. Returns the subjects that it woke. */
  async function tryOne(doc: HookDoc): Promise<readonly string[]> {
    try {
      return await apply(doc);
    } catch (err) {
      const { _id, type, failures } = doc;
      const level = failures + 1 >= ALERT_AFTER_FAILURES ? "error" : "warn";
      log[level]({ err, hook: _id, type, failures }, "a report could not be applied; it is tried again");
      if (level === "error") onAlert(source, "hook_failing");
      await hooks.retry(_id, after(pauseAfter(failures)));
      return [];
    }
  }

  return {
    /** When it resolves, the report is durable, and applied unless that failed. Throws `validation_failed`. */
    async receive(hookId: string, type: string, report: Report): Promise<void> {
      const handler = handlerOf(type);
      if (!handler) return;
      handler.check(report.data);
      const doc: HookDoc = {
        _id: `${source}:${hookId}`,
        source,
        type,
        event: report,
        subject: handler.subject(report.data),
        state: "received",
        reason: null,
        failures: 0,
        expiresAt: null,
        receivedAt: after(0),
        dueAt: after(SWEEP_AFTER_MS),
      };
      if (!(await hooks.receive(doc))) return;
      const woken = await tryOne(doc);
      // Apply them immediately; the sweep would do it later.
      if (woken.length === 0) return;
      for (const other of await hooks.ofSubjects(source, woken, after(0))) await tryOne(other);
    },

    /** Applies reports that were received but not applied: their process died, or a dependency was unavailable. */
    async sweep(): Promise<void> {
      for (const doc of await hooks.due(source, after(0), BATCH)) await tryOne(doc);
    },
  };
}
