import type { ClientSession } from "mongodb";
import type { ActorState, ActorTypes } from "./actor-types.ts";
import type { OutboxDraft } from "./outbox-draft.ts";

/**
 * Declares an effect in a machine: a name and the type of its params. It does nothing itself; the host finds it among
 * the actions of a transition and passes it to the handler of that name.
 */
export function effect<Params>(): (args: unknown, params: Params) => void {
  return () => undefined;
}

export type EffectsOf<Actions> = {
  [Name in keyof Actions]: Actions[Name] extends (args: unknown, params: infer Params) => void
    ? Params
    : never;
};

/** One call of an effect by a machine. */
export type EffectCall<Params, Context> = {
  params: Params;
  /** The actor's state right after the event that called the effect. */
  after: ActorState<Context>;
  by: string | null;
};

/** All calls of one effect in one actor's batch, with the batch's context. */
export type EffectBatch<Params, Context, Reads> = {
  id: string;
  /** In call order; never empty. */
  calls: EffectCall<Params, Context>[];
  outbox: OutboxDraft;
  reads: Reads;
  now: Date;
};

/** Every call, paired with its batch. */
export const eachOf = <Params, Context, Reads>(
  batches: EffectBatch<Params, Context, Reads>[],
): [EffectCall<Params, Context>, EffectBatch<Params, Context, Reads>][] =>
  batches.flatMap((batch) =>
    batch.calls.map((call): [EffectCall<Params, Context>, EffectBatch<Params, Context, Reads>] => [
      call,
      batch,
    ]),
  );

export type EffectHandler<Params, Context, Reads> = {
  /** Updates `reads` in memory, so that the next event of the batch sees the effect. */
  apply?(call: EffectCall<Params, Context>, reads: Reads): void;
  /**
   * Writes all calls of the effect in a commit, with as few statements as possible; each actor has exactly one batch.
   * Runs again, with empty outboxes, when the transaction is retried. So it decides nothing, but may refuse the
   * commit by `Conflict`, and anything it touches besides the transaction and the outboxes must be idempotent.
   */
  write(batches: EffectBatch<Params, Context, Reads>[], session: ClientSession): Promise<void> | void;
};

/** A missing handler is a compile error. Handlers write in the order of the keys. */
export type EffectHandlers<T extends ActorTypes> = {
  [Name in keyof T["effects"]]: EffectHandler<T["effects"][Name], T["context"], T["reads"]>;
};
