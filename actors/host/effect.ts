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

/** What an effect writes into: the transaction of the commit. */
export type CommitScope<Work> = {
  id: string;
  session: ClientSession;
  outbox: OutboxDraft;
  work: Work;
  now: Date;
};

export type EffectHandler<Params, Context, Work> = {
  /** Brings the batch's picture up to date, in memory, so that the next event of the batch sees it. */
  fold?(one: Occurrence<Params, Context>, work: Work): void;
  /**
   * Writes all occurrences of a batch at once. May run again with the same arguments when the transaction is
   * repeated, so it decides nothing and touches nothing but the scope.
   */
  write(all: Occurrence<Params, Context>[], scope: CommitScope<Work>): Promise<void> | void;
};

/** A missing handler doesn't compile. */
export type EffectHandlers<T extends ActorTypes> = {
  [Name in keyof T["effects"]]: EffectHandler<T["effects"][Name], T["context"], T["work"]>;
};
