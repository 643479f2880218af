import type { ClientSession } from "mongodb";
import type { ActorState, ActorTypes } from "./actor-types.ts";
import type { OutboxDraft } from "./outbox-draft.ts";

/**
 * Declares an effect in a machine: a name and the type of its params. It does nothing by itself; the host finds it
 * among the actions of a transition and hands it to the handler of that name.
 */
export function effect<Params>(): (args: unknown, params: Params) => void {
  return () => undefined;
}

export type EffectsOf<Actions> = {
  [Name in keyof Actions]: Actions[Name] extends (args: unknown, params: infer Params) => void
    ? Params
    : never;
};

/** One request of a machine for an effect. */
export type EffectCall<Params, Context> = {
  params: Params;
  /** The actor right after the event that requested it. */
  after: ActorState<Context>;
  by: string | null;
};

/** What one actor's batch requests of one effect, and what goes with it. */
export type EffectBatch<Params, Context, Reads> = {
  id: string;
  /** In the order in which they were requested; never empty. */
  calls: EffectCall<Params, Context>[];
  outbox: OutboxDraft;
  reads: Reads;
  now: Date;
};

/** Every occurrence with the batch that it is in. */
export const eachOf = <Params, Context, Reads>(
  batches: EffectBatch<Params, Context, Reads>[],
): [EffectCall<Params, Context>, EffectBatch<Params, Context, Reads>][] =>
  batches.flatMap((batch) =>
    batch.calls.map((one): [EffectCall<Params, Context>, EffectBatch<Params, Context, Reads>] => [
      one,
      batch,
    ]),
  );

export type EffectHandler<Params, Context, Reads> = {
  /** Brings the batch's picture up to date, in memory, so that the next event of the batch sees it. */
  apply?(one: EffectCall<Params, Context>, reads: Reads): void;
  /**
   * Writes what all actors of a commit request of the effect, with as few statements as it can: each actor is there once.
   * Runs again, with outboxes that are empty again, when the transaction is repeated: it decides nothing, and what it
   * touches beside the transaction and the outboxes is the same after one time and after ten.
   */
  write(batches: EffectBatch<Params, Context, Reads>[], session: ClientSession): Promise<void> | void;
};

/** A missing handler doesn't compile. They write in the order in which they are named here. */
export type EffectHandlers<T extends ActorTypes> = {
  [Name in keyof T["effects"]]: EffectHandler<T["effects"][Name], T["context"], T["reads"]>;
};
