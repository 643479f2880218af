import type { ClientSession } from "mongodb";
import type { AnyStateMachine } from "xstate";
import { type DetailsOf, type ErrorCode, type Refusal, ServiceError } from "../../contract/errors.ts";
import type { ActorState, ActorTypes } from "./actor-types.ts";
import type { EffectHandlers } from "./effect.ts";
import type { Guard } from "./guards.ts";
import type { SchemaOf } from "./schemas.ts";
import type { SettlingOf } from "./settling.ts";

/** An expected "no": returned as a value, not thrown. */
export type { Refusal };

export type Reply<Answer> = { ok: true; answer: Answer } | { ok: false; refusal: Refusal };

export type Decision<Event> = { ok: true; event: Event } | { ok: false; refusal: Refusal };

export const refuse = <Code extends ErrorCode>(code: Code, details?: DetailsOf<Code>) => ({
  ok: false as const,
  refusal: { code, ...(details === undefined ? {} : { details }) } as Refusal,
});

/** Returns the answer; throws a refusal as the ServiceError that the client gets. */
export function answerOf<Answer>(reply: Reply<Answer>): Answer {
  if (reply.ok) return reply.answer;
  throw ServiceError.of(reply.refusal);
}

/** One request of a batch, as `prepare` sees it. A creation has an input; a timer may have neither command nor input. */
export type PendingCommand<T extends ActorTypes> = {
  command: T["command"] | null;
  input: T["input"] | null;
  by: string | null;
};

/** Paths of states ("active.settling"); `from` is null for the first one. */
export type CommittedTransition = { event: string; from: string | null; to: string };

/**
 * One kind of actor: a pure machine, and what the host needs to run it. Members are declared as methods (bivariant), so
 * that definitions of different types fit into one list.
 */
export type ActorDefinition<T extends ActorTypes> = {
  name: string;
  /** Incremented when the machine's states, delays or context change; older snapshots go through `migrations`. */
  version: number;
  machine: AnyStateMachine;
  /** Schema of this version's context: a context that doesn't match is neither stored nor run. */
  context: SchemaOf<T["context"]>;
  /** By version: converts a snapshot of that version into one of the next. Omitted while there is only one version. */
  migrations?: Record<number, (snapshot: unknown) => unknown>;
  /** Schema of what an actor is created with. */
  input: SchemaOf<T["input"]>;
  /** Schemas of all commands: the only events that come from outside. */
  commands: { [Type in T["command"]["type"]]: SchemaOf<Extract<T["command"], { type: Type }>> };
  /** Reads what the batch needs, with one query per collection; `context` is null before the first commit. */
  prepare(batch: {
    id: string;
    context: T["context"] | null;
    pending: PendingCommand<T>[];
    now: Date;
  }): Promise<T["reads"]>;
  /** Checks a creation by rules that need more than the input. Null (or no such method) allows it. */
  refuseCreation?(input: T["input"], reads: T["reads"]): Refusal | null;
  /**
   * Decides a command: returns a refusal, or the event that the machine gets. When omitted, the machine gets the command
   * itself. Afterwards the machine may still refuse the event in its current state.
   */
  decide?(
    command: T["command"],
    scope: {
      state: ActorState<T["context"]>;
      reads: T["reads"];
      by: string | null;
      at: Date;
      happenedAt: Date;
    },
  ): Decision<T["event"]>;
  /** Documents that this batch's decisions depend on, besides those that its effects write; none when omitted. */
  guards?(reads: T["reads"]): Guard[];
  /**
   * Unique indexes that enforce rules of this machine, as "collection.index", each with the refusal of a request whose
   * commit would violate it. A violation of any other index counts as a race: the batch is prepared again.
   */
  unique?: Record<string, Refusal>;
  effects: EffectHandlers<T>;
  /** Writes the read model of these actors in the transaction of their commit; omitted where effects write all of it. */
  save?(states: ActorState<T["context"]>[], session: ClientSession): Promise<void>;
  /** The answer to a request. Must be representable in BSON, since it is stored under idempotency keys. */
  answer(state: ActorState<T["context"]>, scope: { reads: T["reads"]; by: string | null }): T["answer"];
  /**
   * Called after each commit, in the process that made it, whatever caused it: a request, a timer or settling. Not called if that
   * process dies in between, so it is for metrics only. `transitions` are the changes of state, in order.
   */
  committed?(transitions: readonly CommittedTransition[], state: ActorState<T["context"]>): void;
  /** For an actor with members that are processed in batches. */
  settling?: SettlingOf<T["context"], T["event"]>;
};

export type AnyDefinition = ActorDefinition<ActorTypes>;
