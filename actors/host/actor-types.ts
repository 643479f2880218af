/** The types of one kind of actor. */
export type ActorTypes = {
  /** What it accepts from outside. */
  command: { type: string };
  /** What its machine receives: commands, enriched from the batch's reads. The host stamps each with its time (`Stamped`). */
  event: { type: string };
  context: object;
  input: object;
  effects: object;
  /** What one batch read beforehand; updated while the batch is decided. */
  reads: object;
  answer: unknown;
};

/** An event as a machine receives it: `at` is when the host got it, Unix ms. */
export type Stamped<Event> = Event & { at: number };

export type ActorState<Context> = {
  id: string;
  /** The top-level state: the status in the public API. */
  status: string;
  /** The whole state, dotted: "resolved.paying". */
  path: string;
  context: Context;
  /** The time of the event that led to this state. */
  at: Date;
};
