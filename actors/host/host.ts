import type { Clock } from "../../base/clock.ts";
import { Overloaded } from "../../base/controlled-delay.ts";
import { withDeadline } from "../../base/deadline.ts";
import { isUnavailable } from "../../base/failures/unavailable.ts";
import type { Log } from "../../base/log.ts";
import { createOverloadLog } from "../../base/overload-log.ts";
import { ServiceError, unavailable } from "../../contract/errors.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { Range } from "../../store/mongo/driver/page.ts";
import { historyIn } from "../../store/mongo/host/history.ts";
import { type TimerDoc, timersIn } from "../../store/mongo/host/timers.ts";
import { createFairLock } from "../../store/redis/fair-lock.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { ActorTypes } from "./actor-types.ts";
import type { BatchDecision } from "./batch-decision.ts";
import { createCommitter } from "./commit.ts";
import type { ActorDefinition, AnyDefinition, Reply } from "./definition.ts";
import { Mailboxes } from "./mailbox.ts";
import { type HostMetrics, noMetrics } from "./metrics.ts";
import type { Outbox } from "./outbox.ts";
import { createParkedReporter, machineOf } from "./parked-reporter.ts";
import { type AskOptions, type Outcome, type Request, requestHash } from "./request.ts";
import { requireValid } from "./schemas.ts";
import { SETTLE } from "./settling.ts";
import { UnreadableSnapshot } from "./snapshot-codec.ts";

const MAILBOX_CAPACITY = 5_000;
/** Over all mailboxes: about 50 MB, if all are bets. */
const TOTAL_CAPACITY = 50_000;
const BATCH_SIZE = 500;
const DEADLINE_MS = 8_000;
/** Actors that this process works on at the same time; their commits share transactions (commit.ts). */
const CONCURRENCY = 128;

type HostDeps = {
  mongo: Mongo;
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  machines: AnyDefinition[];
  outbox: Outbox;
  metrics?: HostMetrics;
  /** False: each batch of a settling waits for its timer, so that the batches can be observed one by one. */
  continueSettling?: boolean;
  /** A request is answered within this time after its arrival, in ms; 8,000 by default. */
  deadlineMs?: number;
};

export type Host = ReturnType<typeof createHost>;

export const actorKey = (machine: string, id: string) => `${machine}:${id}`;

/** The only code that runs machines. See commit.ts for how a batch becomes durable. */
export function createHost(deps: HostDeps) {
  const { mongo, redis, clock, log, machines, outbox, metrics = noMetrics } = deps;
  const { continueSettling = true, deadlineMs = DEADLINE_MS } = deps;
  const commit = createCommitter({ mongo, lock: createFairLock(redis, log), clock, log, metrics });
  const timers = timersIn(mongo.db);
  const history = historyIn(mongo.db);
  const known = new Map(
    machines.map((definition) => {
      const commands = new Map<string, object>(Object.entries(definition.commands));
      return [definition.name, { definition, commands }];
    }),
  );
  const overload = createOverloadLog(log, "admission to mailboxes");
  const mailboxes = new Mailboxes<Request>({
    capacity: MAILBOX_CAPACITY,
    capacityOfAll: TOTAL_CAPACITY,
    batchSize: BATCH_SIZE,
    concurrency: CONCURRENCY,
    handle,
    // Others repeat what nobody requested (timers, messages, the reports of other services) only later, or never.
    mayBeRefused: ({ by, timer }) => by !== null && timer === null,
    refuse(actor, request) {
      metrics.timeouts(1, { machine: machineOf(actor) });
      request.answer({ kind: "failed", error: refusalOf(actor) });
    },
  });
  const parkedReporter = createParkedReporter({ mongo, clock, log, metrics });
  let stopping = false;

  /** An overload is logged as a whole, since there may be thousands of refusals a second. */
  function refusalOf(actor: string): Overloaded {
    const refusal = new Overloaded();
    overload.refused(refusal, { actor });
    return refusal;
  }

  function requireMachine(name: string) {
    const machine = known.get(name);
    if (!machine) throw new Error(`there is no machine ${name}`);
    return machine;
  }

  async function handle(actor: string, all: Request[]): Promise<void> {
    const now = performance.now();
    const requests = all.filter(({ deadline }) => deadline > now); // the others have been answered
    if (requests.length === 0) return;
    const [name = "", id = ""] = actor.split(/:(.*)/s);
    const { definition } = requireMachine(name);
    const batch = { definition, actor, id, requests };
    metrics.batchSize(requests.length, { machine: name });
    metrics.mailboxWait(secondsSince(requests[0]?.at), { machine: name });
    let decision: BatchDecision;
    // Only the commit is in the try block: a failure of what follows it must never lead to a second commit.
    try {
      decision = await commit(batch);
      overload.served();
    } catch (error) {
      if (requests.length === 1 || !mayBeOneBadRequest(error)) return fail(actor, requests, error);
      // A handler failed, so nothing was written. Decided one by one, only the request at fault fails.
      for (const request of requests) await handle(actor, [request]);
      return;
    }
    for (const request of requests) request.answer(decision.outcomes.get(request) ?? unanswered());
    if (!decision.changed) return;
    try {
      afterCommit(actor, decision);
    } catch (err) {
      log.error({ err, actor }, "what follows a commit failed; timers and the relay go on with it");
    }
  }

  const secondsSince = (then: Date | undefined) => (then ? (clock.now() - then.getTime()) / 1_000 : 0);

  function fail(actor: string, requests: Request[], error: unknown): void {
    if (error instanceof UnreadableSnapshot) parkedReporter.met(actor, error);
    else if (!(error instanceof ServiceError)) log.error({ err: error, actor }, "a batch failed");
    for (const request of requests) request.answer({ kind: "failed", error });
  }

  /** Runs after a commit: publishes its rows, delivers its messages, counts it, and continues the actor's settling. */
  function afterCommit(actor: string, decision: BatchDecision): void {
    const { prepared, state, history, committed, sources, messages } = decision;
    if (committed) outbox.committed(actor, committed);
    else outbox.publishSoon(actor);
    for (const source of sources) outbox.publishSoon(source);
    for (const message of messages) {
      if (!stopping && known.has(machineOf(message.actor)))
        fire(message).catch((err: unknown) =>
          log.debug({ err, actor: message.actor }, "a message couldn't be handed over yet; the sweeper does"),
        );
    }
    // A refused message and a command that leaves the state as it is are in the history too.
    if (state)
      prepared.definition.committed?.(
        history.filter(({ from, to }) => from !== to),
        state,
      );
    if (stopping || !continueSettling || !state || !prepared.definition.settling?.states.includes(state.path))
      return;
    const settle = { command: { type: SETTLE }, input: null, timer: null, by: null, once: null };
    void post(actor, { ...settle, expectedVersion: prepared.version + 1 })
      .then((outcome) => {
        if (outcome.kind === "failed") throw outcome.error;
      })
      .catch((err: unknown) => log.warn({ err, actor }, "settling could not go on; its timer repeats it"));
  }

  /** Settles by the deadline at the latest, whatever the request waits for; after a timeout its outcome is unknown. */
  function post(actor: string, request: Omit<Request, "answer" | "at" | "deadline">): Promise<Outcome> {
    const deadline = performance.now() + deadlineMs;
    const answered = new Promise<Outcome>((resolve, reject) => {
      const item: Request = { ...request, at: new Date(clock.now()), deadline, answer: resolve };
      const isAccepted = !stopping && mailboxes.post(actor, item);
      if (!isAccepted) metrics.overflows(1, { machine: machineOf(actor) });
      if (!isAccepted) reject(stopping ? unavailable() : refusalOf(actor));
    });
    return withDeadline(answered, deadline, unavailable);
  }

  async function submit<T extends ActorTypes>(
    definition: ActorDefinition<T>,
    id: string,
    body: { command: T["command"] | null; input: T["input"] | null },
    { by, once, happenedAt }: AskOptions,
  ): Promise<Reply<T["answer"]>> {
    const { commands } = requireMachine(definition.name);
    const { command, input } = body;
    if (command) requireValid(command.type, command, commands.get(command.type));
    if (input) requireValid("create", input, definition.input);
    const key = once ? { key: once.key, requestHash: requestHash(once.request) } : null;
    const request = { ...body, timer: null, by, once: key, ...(happenedAt ? { happenedAt } : {}) };
    const outcome = await post(actorKey(definition.name, id), request);
    if (outcome.kind === "failed") throw outcome.error;
    if (outcome.kind === "refused") return { ok: false, refusal: outcome.refusal };
    if (outcome.kind === "stale") throw new Error("only timers go stale");
    // This definition's `answer` made it, now or when the key was first used.
    return { ok: true, answer: outcome.answer as T["answer"] };
  }

  async function fire(timer: TimerDoc): Promise<"fired" | "stale"> {
    const name = machineOf(timer.actor);
    const isCommand = requireMachine(name).commands.has(timer.event.type);
    metrics.timerLag(secondsSince(timer.dueAt), { machine: name });
    const { by, input } = timer.message ?? { by: null, input: null };
    const outcome = await post(timer.actor, {
      command: isCommand ? timer.event : null,
      input,
      timer,
      by,
      once: null,
    });
    if (outcome.kind === "failed") throw outcome.error;
    if (outcome.kind === "answered") return "fired";
    if (timer.message && outcome.refusal) {
      const { actor, event } = timer;
      log.warn(
        { actor, command: event.type, refusal: outcome.refusal },
        "an actor refused another one's message",
      );
    }
    // Also when the actor no longer exists: nobody else will ever remove the row.
    if (outcome.kind === "refused") await timers.drop([timer._id]);
    return "stale";
  }

  async function idle(): Promise<void> {
    await mailboxes.idle();
    await parkedReporter.idle();
    await outbox.idle();
  }

  return {
    /**
     * Sends an actor a command and resolves after the commit. A refusal is a value, not an error. Rejects with `unavailable`
     * when the mailbox is full, when a user's request waited there for a second (then nothing of it was begun), or when the
     * store is unavailable (the outcome may then be unknown: retry with the same `once`), and with `validation_failed` when the command or the input doesn't match the machine's schemas. With `input`, the
     * actor is created when it doesn't exist.
     */
    ask: <T extends ActorTypes>(
      definition: ActorDefinition<T>,
      id: string,
      command: T["command"],
      options: AskOptions & { input?: T["input"] },
    ) => submit(definition, id, { command, input: options.input ?? null }, options),

    /** Creates an actor. An id that already exists is refused with `invalid_state`. */
    create: <T extends ActorTypes>(
      definition: ActorDefinition<T>,
      id: string,
      input: T["input"],
      options: AskOptions,
    ) => submit(definition, id, { command: null, input }, options),

    /** Fires a timer that is due; its commit removes it. "stale" = the actor no longer needs it. */
    fire,

    /** Commits an actor of an older machine version as one of the current version (rearm.ts); others stay unchanged. */
    async upgrade(machine: string, id: string): Promise<void> {
      // Every state refuses this empty request; it exists only to cause the commit.
      const nothing = { command: null, input: null, timer: null, by: null, once: null };
      const outcome = await post(actorKey(machine, id), nothing);
      if (outcome.kind === "failed") throw outcome.error;
    },

    history: (machine: string, id: string, range: Range) => history.page(actorKey(machine, id), range),

    /** Actors with waiting or running requests in this process, and the number of waiting requests. */
    depth: () => mailboxes.depth(),

    /** Resolves when no request waits or runs, and all that this process committed is published or left to the relay. */
    idle,

    /** Accepts no new requests, finishes the accepted ones and publishes their results. */
    async stop(): Promise<void> {
      stopping = true;
      await idle();
    },
  };
}

function mayBeOneBadRequest(error: unknown): boolean {
  return !isUnavailable(error) && !(error instanceof UnreadableSnapshot);
}

const unanswered = (): Outcome => ({
  kind: "failed",
  error: new Error("a request was left without an answer"),
});
