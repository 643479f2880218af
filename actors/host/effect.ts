import type { ClientSession } from "mongodb";
import type { ActorState, ActorTypes } from "./definition.ts";
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

/** One time that a machine asked for an effect. */
export type Occurrence<Params, Context> = {
  params: Params;
  /** The actor right after the event that asked for it. */
  after: ActorState<Context>;
  by: string | null;
};

/** What one actor's batch asks of one effect, and what goes with it. */
export type Portion<Params, Context, Work> = {
  id: string;
  /** In the order in which they were asked for; never empty. */
  all: Occurrence<Params, Context>[];
  outbox: OutboxDraft;
  work: Work;
  now: Date;
};

/** Every occurrence with the portion that it is in. */
export const eachOf = <Params, Context, Work>(
  portions: Portion<Params, Context, Work>[],
): [Occurrence<Params, Context>, Portion<Params, Context, Work>][] =>
  portions.flatMap((portion) =>
    portion.all.map((one): [Occurrence<Params, Context>, Portion<Params, Context, Work>] => [one, portion]),
  );

export type EffectHandler<Params, Context, Work> = {
  /** Brings the batch's picture up to date, in memory, so that the next event of the batch sees it. */
  fold?(one: Occurrence<Params, Context>, work: Work): void;
  /**
   * Writes what all actors of a commit ask of the effect, with as few statements as it can: each actor is there once.
   * Runs again, with outboxes that are empty again, when the transaction is repeated: it decides nothing, and what it
   * touches beside the transaction and the outboxes is the same after one time and after ten.
   */
  write(portions: Portion<Params, Context, Work>[], session: ClientSession): Promise<void> | void;
};

/** A missing handler doesn't compile. They write in the order in which they are named here. */
export type EffectHandlers<T extends ActorTypes> = {
  [Name in keyof T["effects"]]: EffectHandler<T["effects"][Name], T["context"], T["work"]>;
};
