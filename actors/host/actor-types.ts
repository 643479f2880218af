/** The types of one kind of actor, under names. */
export type ActorTypes = {
  /** What may come to it from outside. */
  command: { type: string };
  /** What its machine receives: commands with what the batch's reads add; the host stamps each with its time (`Stamped`). */
  event: { type: string };
  context: object;
  input: object;
  effects: object;
  /** What one batch read beforehand, kept up to date while it is decided. */
  reads: object;
  answer: unknown;
};

/** An event as a machine receives it: `at` is when the host got it, Unix ms. */
export type Stamped<Event> = Event & { at: number };

export type ActorState<Context> = {
  id: string;
  /** The top-level state: what the public calls its status. */
  status: string;
  /** The whole state, dotted: "resolved.paying". */
  path: string;
  context: Context;
  /** When the last event happened that brought it here. */
  at: Date;
};
