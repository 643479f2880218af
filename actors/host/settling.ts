/** The event that an actor with members sends itself until all of them are processed. */
export const SETTLE = "settle" as const;

/** If the process that settles dies, another one takes over after this time. */
export const SETTLE_TAKEOVER_MS = 1_000;

/** How far an actor has processed its members; stored in its context as `settled`. */
export type Progress = {
  /** Id of the last processed member; "" before the first. */
  cursor: string;
};

/** The next members, as read for this batch, with the progress before (`from`) and after (`to`) them. */
export type SettlingBatch<Member = unknown, P extends Progress = Progress> = {
  members: Member[];
  from: P;
  to: P;
  last: boolean;
};

/** The timer's event has no batch; the host adds the next one. */
export type SettleEvent<Batch> = { type: typeof SETTLE; batch: Batch | null };

type BatchOf<Event> = [Extract<Event, { type: typeof SETTLE }>] extends [SettleEvent<infer Batch>]
  ? NonNullable<Batch>
  : never;

/** How the host settles the members of a definition. */
export type SettlingOf<Context, Event> = [BatchOf<Event>] extends [SettlingBatch<infer Member, infer P>]
  ? Settling<Context, Member, P>
  : Settling<Context, unknown, Progress>;

/**
 * The members of an actor are stored in a collection of their own and processed in batches, one batch per commit. The cursor
 * is stored in the context (`settled`) by the same commit, so each member is processed exactly once, whenever a process
 * dies. While the actor is in one of `states`, its members don't change, so they may be prefetched. The machine takes part
 * by `settlingState`.
 */
type Settling<Context, Member, P extends Progress> = {
  /** Paths of the states in which the actor settles. */
  states: readonly string[];
  /** Members per commit: as many as one transaction can write in a few hundred ms. */
  batchSize: number;
  /** At most `limit` members after the cursor, in the order of their ids. */
  after(id: string, cursor: string, limit: number): Promise<Member[]>;
  /** The progress stored in this context. */
  progress(context: Context): P;
  /** The progress after these members, of which there is at least one. */
  advance(from: P, members: Member[], context: Context): P;
};

export type AnySettling = Settling<object, unknown, Progress>;

/** The next members: null when they weren't requested, when the actor isn't settling, or when they couldn't be read. */
export type PrefetchedMembers = { members: unknown[] | null; failure?: unknown };

export const NO_MEMBERS: PrefetchedMembers = { members: null };

/** The settling within one batch of requests: at most one batch of members. */
export class SettlingTurn {
  readonly #settling: AnySettling | undefined;
  readonly #members: unknown[] | null;
  /** Why the members couldn't be read; undefined when they were, or weren't requested. */
  readonly failure: unknown;
  /** The members that were processed. */
  settled: SettlingBatch | null = null;

  constructor(settling: AnySettling | undefined, { members, failure }: PrefetchedMembers) {
    this.#settling = settling;
    this.#members = members;
    this.failure = failure;
  }

  /** The next batch of members; null when they weren't read, or were already processed in this turn. */
  batch(context: object): SettlingBatch | null {
    const settling = this.#settling;
    const members = this.#members;
    if (!settling || !members || this.settled) return null;
    const from = settling.progress(context);
    const to = members.length > 0 ? settling.advance(from, members, context) : from;
    return { members, from, to, last: members.length < settling.batchSize };
  }

  /** True for a SETTLE that must wait: the actor is settling, but this turn has no batch left, so the timer stays. */
  isLater({ type }: { type: string }, { path, context }: { path: string; context: object }): boolean {
    const isSettling = this.#settling?.states.includes(path) ?? false;
    return type === SETTLE && isSettling && this.batch(context) === null;
  }
}

type GuardArgs = { event: { type: string; batch?: SettlingBatch | null } };

/** For the `setup` of a machine that settles, in addition to its own guards. */
export const settlingGuards = {
  isLastBatch: ({ event }: GuardArgs) => event.type === SETTLE && event.batch?.last === true,
  isBatch: ({ event }: GuardArgs) => event.type === SETTLE && event.batch !== null,
};

/** An event of a machine that settles: SETTLE has a batch, once the host has added it, and no other event has one. */
type MaybeBatch<Batch> = { type: string; batch?: Batch | null };

/** The batch of a SETTLE, for the params of the effect that processes it. Throws without one. */
export function batchOf<Batch>({ type, batch }: MaybeBatch<Batch>): Batch {
  if (type !== SETTLE || !batch) throw new Error("settling needs a batch");
  return batch;
}

/** The progress after this event. */
export const settledAfter = <P extends Progress>(settled: P, { type, batch }: MaybeBatch<{ to: P }>): P =>
  type === SETTLE && batch ? batch.to : settled;

/**
 * The state that processes batch after batch up to the last one. The machine defines what it uses: `armSettling` raises
 * SETTLE without a batch after SETTLE_TAKEOVER_MS, in case the process that settles dies; `disarmSettling` cancels that;
 * `noteSettled` stores the progress; `act` is the effect that processes a batch.
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
