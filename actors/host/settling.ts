/** What an actor with members repeats to itself until all of them are dealt with. */
export const SETTLE = "settle" as const;

/** A process that settles and dies is followed by another one after this. */
export const SETTLE_AGAIN_MS = 1_000;

/** How far an actor has come with its members; kept in its context as `settled`. */
export type Progress = {
  /** The last member dealt with, by id; "" before the first. */
  cursor: string;
};

/** The members that come next, as read for this batch, and how far the actor is with them. */
export type SettlingBatch<Member = unknown, P extends Progress = Progress> = {
  members: Member[];
  from: P;
  to: P;
  last: boolean;
};

/** The timer comes without a batch; the host adds what is next. */
export type SettleEvent<Batch> = { type: typeof SETTLE; batch: Batch | null };

type BatchOf<Event> = [Extract<Event, { type: typeof SETTLE }>] extends [SettleEvent<infer Batch>]
  ? NonNullable<Batch>
  : never;

/** How a definition with members says what the host has to know of them. */
export type SettlingOf<Context, Event> = [BatchOf<Event>] extends [SettlingBatch<infer Member, infer P>]
  ? Settling<Context, Member, P>
  : Settling<Context, unknown, Progress>;

/**
 * The members of an actor stand in a collection of their own, and are dealt with batch by batch: one batch a commit, the
 * place reached kept in the context (`settled`), so that each is dealt with once whatever dies when. While the actor is in
 * one of `states`, its members don't change: they may be read early. The machine takes part by `settlingState`.
 */
type Settling<Context, Member, P extends Progress> = {
  /** Paths of the states in which it goes on. */
  states: readonly string[];
  /** Members a commit: all that one transaction may write in a few hundred ms. */
  batchSize: number;
  /** The next members after the cursor, in the order of their ids, at most `limit`. */
  after(id: string, cursor: string, limit: number): Promise<Member[]>;
  /** How far it is in this context. */
  progress(context: Context): P;
  /** How far it is after these members, of which there is at least one. */
  advance(from: P, members: Member[], context: Context): P;
};

export type AnySettling = Settling<object, unknown, Progress>;

/** The members that come next: null when they weren't requested, when it isn't time, or when they couldn't be read. */
export type MembersRead = { members: unknown[] | null; failure?: unknown };

export const NO_MEMBERS: MembersRead = { members: null };

/** The settling of one batch of requests: one batch of members at most. */
export class SettlingTurn {
  readonly #settling: AnySettling | undefined;
  readonly #members: unknown[] | null;
  /** Why the members couldn't be read; undefined when they were, or weren't requested. */
  readonly failure: unknown;
  /** The members that were dealt with. */
  settled: SettlingBatch | null = null;

  constructor(settling: AnySettling | undefined, { members, failure }: MembersRead) {
    this.#settling = settling;
    this.#members = members;
    this.failure = failure;
  }

  /** What comes next, or null when it isn't known, or was dealt with in this turn. */
  batch(context: object): SettlingBatch | null {
    const settling = this.#settling;
    const members = this.#members;
    if (!settling || !members || this.settled) return null;
    const from = settling.progress(context);
    const to = members.length > 0 ? settling.advance(from, members, context) : from;
    return { members, from, to, last: members.length < settling.batchSize };
  }

  /** The timer stays as it is: the actor is settling, and the next turn goes on with it. */
  isLater({ type }: { type: string }, { path, context }: { path: string; context: object }): boolean {
    const isSettling = this.#settling?.states.includes(path) ?? false;
    return type === SETTLE && isSettling && this.batch(context) === null;
  }
}

type Heard = { event: { type: string; batch?: SettlingBatch | null } };

/** For the `setup` of a machine that settles, beside its own. */
export const settlingGuards = {
  isLastBatch: ({ event }: Heard) => event.type === SETTLE && event.batch?.last === true,
  isBatch: ({ event }: Heard) => event.type === SETTLE && event.batch !== null,
};

/** An event of a machine that settles: SETTLE has a batch, once the host has added it, and no other event has one. */
type MaybeBatch<Batch> = { type: string; batch?: Batch | null };

/** The batch of a SETTLE, for the params of the effect that deals with it. Throws without one. */
export function batchOf<Batch>({ type, batch }: MaybeBatch<Batch>): Batch {
  if (type !== SETTLE || !batch) throw new Error("settling needs a batch");
  return batch;
}

/** How far the members are dealt with after this event. */
export const settledAfter = <P extends Progress>(settled: P, { type, batch }: MaybeBatch<{ to: P }>): P =>
  type === SETTLE && batch ? batch.to : settled;

/**
 * The state that goes from batch to batch until the last one. The machine names what it uses: `armSettling` raises
 * SETTLE without a batch after SETTLE_AGAIN_MS, for when the process that settles dies; `disarmSettling` cancels that;
 * `noteSettled` keeps the place; `act` is the effect that deals with a batch.
 */
export const settlingState = <Here extends string, Done extends string, Act>(
  here: Here,
  done: Done,
  act: Act,
) =>
  ({
    entry: "armSettling",
    exit: "disarmSettling",
    on: {
      [SETTLE]: [
        { guard: "isLastBatch", target: done, actions: ["noteSettled", act] },
        { guard: "isBatch", target: here, reenter: true, actions: ["noteSettled", act] },
      ],
    },
  }) as const;
