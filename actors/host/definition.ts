import type { ClientSession } from "mongodb";
import type { AnyStateMachine } from "xstate";
import { type DetailsOf, type ErrorCode, type Refusal, ServiceError } from "../../specs/contract/errors.ts";
import type { ActorState, ActorTypes } from "./actor-types.ts";
import type { EffectHandlers } from "./effect.ts";
import type { Guard } from "./guards.ts";
import type { SchemaOf } from "./schemas.ts";
import type { SettlingOf } from "./settling.ts";

/** A "no" that is expected: an answer, not an exception. */
export type { Refusal };

export type Reply<Answer> = { ok: true; answer: Answer } | { ok: false; refusal: Refusal };

export type Decision<Event> = { ok: true; event: Event } | { ok: false; refusal: Refusal };

export const refuse = <Code extends ErrorCode>(code: Code, details?: DetailsOf<Code>) => ({
  ok: false as const,
  refusal: { code, ...(details === undefined ? {} : { details }) } as Refusal,
});

/** The answer, or the refusal thrown as the error of the client's answer. */
export function answerOf<Answer>(reply: Reply<Answer>): Answer {
  if (reply.ok) return reply.answer;
  throw ServiceError.of(reply.refusal);
}

/** One command of a batch, as `prepare` sees it; a creation has an input, a timer may have neither. */
export type PendingCommand<T extends ActorTypes> = {
  command: T["command"] | null;
  input: T["input"] | null;
  by: string | null;
};

/**
 * One kind of actor: a pure machine, and what the host needs to run it. Members are methods, so that definitions of
 * different types fit into one list.
 */
export type ActorDefinition<T extends ActorTypes> = {
  name: string;
  /** Rises when the machine's states, delays or context change; snapshots of older versions go through `migrations`. */
  version: number;
  machine: AnyStateMachine;
  /** Of a context of this version: nothing else is stored, and nothing else is run. */
  context: SchemaOf<T["context"]>;
  /** By version: turns a snapshot of that version into one of the next. Left out while there was one version alone. */
  migrations?: Record<number, (snapshot: unknown) => unknown>;
  /** Of what an actor is created with. */
  input: SchemaOf<T["input"]>;
  /** Of every command: the only events that come in from outside. */
  commands: { [Type in T["command"]["type"]]: SchemaOf<Extract<T["command"], { type: Type }>> };
  /** Reads what the batch needs, one read a collection; `context` is null before the first commit. */
  prepare(batch: {
    id: string;
    context: T["context"] | null;
    pending: PendingCommand<T>[];
    now: Date;
  }): Promise<T["reads"]>;
  /** Whether it may come to be: the rules that need more than the input. Null = yes, as when left out. */
  refuseCreation?(input: T["input"], reads: T["reads"]): Refusal | null;
  /**
   * Decides a command: a refusal, or the event that the machine gets; the command itself, when left out. The machine
   * refuses by state after it.
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
  /** Documents that this batch's decisions rest on, beside those that its effects write; none when left out. */
  guards?(reads: T["reads"]): Guard[];
  /**
   * Unique indexes that hold rules of this machine, as "collection.index", each with the refusal of a request whose commit
   * would violate it. An index that isn't named here is taken for a race: the batch is prepared again.
   */
  unique?: Record<string, Refusal>;
  effects: EffectHandlers<T>;
  /** Writes how these actors read now, in the transaction of their commit; left out where effects write all of it. */
  save?(states: ActorState<T["context"]>[], session: ClientSession): Promise<void>;
  /** The answer to a request; BSON, since it is kept under idempotency keys. */
  answer(state: ActorState<T["context"]>, scope: { reads: T["reads"]; by: string | null }): T["answer"];
  /** For an actor with members that are dealt with in batches. */
  settling?: SettlingOf<T["context"], T["event"]>;
};

export type AnyDefinition = ActorDefinition<ActorTypes>;
