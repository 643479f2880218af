/**
 * Reports of other services: written down before they are answered, then applied, again and again until that succeeds.
 * 1. An id is taken once; a repeat is answered alike and does nothing.
 * 2. A report about something that isn't there yet waits, and is applied after what brings it; when that hasn't come in 30
 *    days, it is set aside.
 * 3. What contradicts our own records is set aside: kept, never applied, and somebody is alerted.
 */
import type { TSchema } from "typebox";
import type { Clock } from "../../store/clock.ts";
import { growingPause } from "../../store/growing-pause.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type HookDoc, hooksIn } from "../../store/mongo/hooks.ts";
import { requireValid, type Static } from "../host/schemas.ts";
import type { OnAlert } from "./metrics.ts";

const DAY_MS = 86_400_000;
/** How long an id is remembered. */
const REMEMBERED_MS = 7 * DAY_MS;
/** How long a report waits for what it is about. */
const WAITING_MS = 30 * DAY_MS;
/** After that time somebody else applies what was received. */
const LEFT_AFTER_MS = 10_000;
const pauseAfter = growingPause(1_000, 10 * 60_000);
/** Failures after which somebody has to know. */
const MANY_FAILURES = 8;
/** Of one sweep; more are left to the next. */
const BATCH = 200;

export type Report<Data = Record<string, unknown>> = {
  /** The event's own id, by which it is the same however often it is reported. */
  id: string;
  /** When it happened, by its reporter. */
  createdAt: Date;
  data: Data;
};

/** What became of a report; one that `brings` subjects wakes those that wait for them. */
export type Outcome = "applied" | "waiting" | { brings: readonly string[] } | { setAside: string };

type Handler = {
  /** Throws `validation_failed`. */
  check(data: Record<string, unknown>): void;
  subject(data: Record<string, unknown>): string | null;
  apply(report: Report): Promise<Outcome>;
};

/** By type of report; a type that isn't there is ignored. */
export type HookHandlers = Readonly<Record<string, Handler>>;

/** `data` is a schema that lets in what isn't known; `subject` names what the report waits for, where it may have to. */
export function hookHandler<Schema extends TSchema>(handler: {
  data: Schema;
  subject(data: Static<Schema>): string | null;
  apply(report: Report<Static<Schema>>): Promise<Outcome>;
}): Handler {
  const read = (data: Record<string, unknown>): Static<Schema> => {
    requireValid("body/data", data, handler.data);
    // The schema has just let it in.
    return data as Static<Schema>;
  };
  return {
    check: (data) => void read(data),
    subject: (data) => handler.subject(read(data)),
    apply: (report) => handler.apply({ ...report, data: read(report.data) }),
  };
}

type Deps = { mongo: Mongo; clock: Clock; log: Log; onAlert: OnAlert };

export type HookIntake = ReturnType<typeof createHookIntake>;

/** `source` keeps the ids of one reporter apart from those of others. */
export function createHookIntake(
  source: string,
  handlers: HookHandlers,
  { mongo, clock, log, onAlert }: Deps,
) {
  const hooks = hooksIn(mongo.db);
  const after = (ms: number) => new Date(clock.now() + ms);
  const handlerOf = (type: string) => (Object.hasOwn(handlers, type) ? handlers[type] : undefined);

  /** Gives back what others may have waited for. */
  async function apply(doc: HookDoc): Promise<readonly string[]> {
    const handler = handlerOf(doc.type);
    // Nothing is written down of a type that nobody knows: this one a newer release has taken, and knows.
    if (!handler) throw new Error("only a newer release knows this type of report");
    const outcome = await handler.apply(doc.event);
    if (outcome !== "waiting") return finish(doc, outcome);
    if (doc.state === "waiting") return finish(doc, { setAside: "what it is about never came" });
    await hooks.settle(doc._id, { state: "waiting", dueAt: after(WAITING_MS) });
    // What it waits for may have come before it was seen to wait.
    const again = await handler.apply(doc.event);
    return again === "waiting" ? [] : finish(doc, again);
  }

  async function finish(doc: HookDoc, outcome: Exclude<Outcome, "waiting">): Promise<readonly string[]> {
    if (outcome === "applied" || "brings" in outcome) {
      const subjects = outcome === "applied" ? [] : outcome.brings;
      // Before it counts as applied: who dies now applies it once more, which changes nothing, and wakes them then.
      if (subjects.length > 0) await hooks.wake(source, subjects, after(0));
      await hooks.applied(doc._id, after(REMEMBERED_MS));
      return subjects;
    }
    const { setAside: reason } = outcome;
    await hooks.settle(doc._id, { state: "set_aside", reason, expiresAt: null });
    log.error({ hook: doc._id, type: doc.type, reason }, "a report was set aside");
    onAlert(source, "hook_set_aside");
    return [];
  }

  /** Never rejects for what one report does. Gives back whom it woke. */
  async function tryOne(doc: HookDoc): Promise<readonly string[]> {
    try {
      return await apply(doc);
    } catch (err) {
      const { _id, type, failures } = doc;
      const level = failures + 1 >= MANY_FAILURES ? "error" : "warn";
      log[level]({ err, hook: _id, type, failures }, "a report could not be applied; it is tried again");
      if (level === "error") onAlert(source, "hook_failing");
      await hooks.retry(_id, after(pauseAfter(failures)));
      return [];
    }
  }

  return {
    /** Durable when it resolves, and applied unless that failed. Throws `validation_failed`. */
    async receive(hookId: string, type: string, report: Report): Promise<void> {
      const handler = handlerOf(type);
      if (!handler) return;
      handler.check(report.data);
      const doc: HookDoc = {
        _id: `${source}:${hookId}`,
        ...{ source, type, event: report, subject: handler.subject(report.data) },
        ...{ state: "received", reason: null, failures: 0, expiresAt: null },
        ...{ receivedAt: after(0), dueAt: after(LEFT_AFTER_MS) },
      };
      if (!(await hooks.receive(doc))) return;
      const woken = await tryOne(doc);
      // At once, where the sweep would come to them too.
      if (woken.length === 0) return;
      for (const other of await hooks.ofSubjects(source, woken, after(0))) await tryOne(other);
    },

    /** What was received and not applied: its process died, or something was away. */
    async sweep(): Promise<void> {
      for (const doc of await hooks.due(source, after(0), BATCH)) await tryOne(doc);
    },
  };
}
