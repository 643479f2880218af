import type { ClientSession } from "mongodb";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { outboxIn, UNSENT_PAGE } from "../../store/mongo/outbox.ts";
import type { RoomStateChange } from "../../store/mongo/room-state-change.ts";
import { BackOff } from "./back-off.ts";
import { BatchDeleter } from "./batch-deleter.ts";
import { type HostMetrics, noMetrics } from "./metrics.ts";
import { type OutboxRow, outboxDoc } from "./outbox-draft.ts";
import { createRowPublisher, type PublishedRows } from "./publish-rows.ts";
import { type CommittedRows, UnpublishedCommits } from "./unpublished-commits.ts";

/** A room event on its way; `actor` is its place in its source's order, by which repeats are dropped. */
export type RoomEvent = {
  streamId: string;
  type: string;
  data: Record<string, unknown>;
  actor: { ref: string; version: number; n: number };
  effects?: RoomStateChange[];
};

export type Publishers = {
  publishRoom(event: RoomEvent): Promise<unknown>;
  /** One private event, to each with data of their own. */
  publishUsers(
    type: string,
    recipients: { userId: string; data: Record<string, unknown> }[],
    source: RoomEvent["actor"],
  ): Promise<unknown>;
};

/** A source whose store is unavailable is tried again soon, since it comes back by itself; one that fails waits for somebody. */
const LONGEST_UNAVAILABLE_MS = 2_000;
const LONGEST_FAILING_MS = 60_000;

/** "more" = a turn is over, and the source has more. */
export type Published = PublishedRows | "more";

/** Publishing of one source that is under way. */
type Run = {
  mustRead: boolean;
  /** Only a turn of the relay: it ends after a page, unless somebody joins who wants all. */
  isTurn: boolean;
  /** The last commit that is published once the last page is. */
  upTo: number;
  done: Promise<Published>;
};

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * Publishes what has been committed, at least once and in the order of each source:
 * 1. rows are written in the transaction of their cause;
 * 2. after the commit its rows are published from memory when everything before them is known to be published, else
 *    `publish` reads all unsent rows of that source and publishes them in order; then they are deleted;
 * 3. what a dead process or an absent Redis left behind, the relay in `jobs` publishes the same way.
 * Two publishers of one source may overlap: rooms drop what is not newer, users' logs what they have.
 */
export function createOutbox(
  deps: { mongo: Mongo; clock: Clock; log: Log; metrics?: HostMetrics; backOff?: BackOff } & Publishers,
) {
  const { clock, log, metrics = noMetrics, backOff = new BackOff() } = deps;
  const rows = outboxIn(deps.mongo.db);
  const running = new Map<string, Run>();
  const unpublished = new UnpublishedCommits();
  const deleter = new BatchDeleter(rows.remove, (err) =>
    log.warn(
      { err },
      "what was published could not be removed from the outbox; the relay publishes it again",
    ),
  );

  const publishRows = createRowPublisher({ rows, deleter, clock, log, metrics }, async (row) => {
    const { target, type, data, actor, version, n, effects } = row;
    if ("inRoom" in target) {
      // Those of them that the room has already it drops by their places.
      for (const [i, one] of target.events.entries())
        await deps.publishRoom({
          streamId: target.inRoom,
          type,
          data: one,
          actor: { ref: actor, version, n: n + i },
        });
    } else if ("room" in target) {
      const event = { streamId: target.room, type, data, actor: { ref: actor, version, n } };
      await deps.publishRoom(effects === undefined ? event : { ...event, effects });
    } else if ("user" in target) {
      await deps.publishUsers(type, [{ userId: target.user, data }], { ref: actor, version, n });
    } else {
      await deps.publishUsers(type, target.users, { ref: actor, version, n });
    }
  });

  /** Reads and publishes the first page of what is unsent of that source. */
  async function publishPage(actor: string, state: Run): Promise<Published> {
    state.upTo = Math.max(state.upTo, unpublished.takeOver(actor));
    // What was published must not be read once more.
    await deleter.idle();
    const page = await rows.unsentOf(actor);
    const published = await publishRows(page);
    if (published !== "all") return published;
    state.upTo = Math.max(state.upTo, page.at(-1)?.version ?? 0);
    const hasMore = page.length === UNSENT_PAGE;
    if (!hasMore && state.upTo > 0) unpublished.published(actor, state.upTo);
    // Nor by another process that goes on with it.
    await deleter.idle();
    return hasMore ? "more" : "all";
  }

  async function publishFresh(actor: string, { version, rows }: CommittedRows): Promise<Published> {
    const published = await publishRows(rows);
    if (published === "all") unpublished.published(actor, version);
    return published;
  }

  async function run(actor: string, state: Run): Promise<Published> {
    // Of what a failure leaves behind it isn't known that it was published.
    let isKnown = false;
    try {
      for (let hasMore = false; ; ) {
        isKnown = false;
        const commit: CommittedRows | null = state.mustRead || hasMore ? null : unpublished.take(actor);
        state.mustRead = false;
        const published: Published = await (commit ? publishFresh(actor, commit) : publishPage(actor, state));
        hasMore = published === "more";
        isKnown = published === "all";
        const goesOn = hasMore ? !state.isTurn : isKnown && (state.mustRead || unpublished.isWaiting(actor));
        if (!goesOn) return published;
      }
    } finally {
      if (!isKnown) unpublished.forget(actor);
      running.delete(actor);
    }
  }

  function start(actor: string, how: Pick<Run, "mustRead" | "isTurn">): Promise<Published> {
    const current = running.get(actor);
    if (current) {
      current.mustRead ||= how.mustRead;
      current.isTurn &&= how.isTurn;
      return current.done;
    }
    const state: Run = { ...how, upTo: 0, done: Promise.resolve("all") };
    running.set(actor, state);
    state.done = run(actor, state);
    return state.done;
  }

  const publish = (actor: string) => start(actor, { mustRead: true, isTurn: false });

  function inBackground(actor: string, publishing: Promise<Published>): void {
    publishing.catch((err: unknown) =>
      log.warn({ err, actor }, "publishing the outbox failed; the relay goes on"),
    );
  }

  return {
    /** For sources that are no actors of the host: rows with their own order, in the transaction of their cause. */
    write: (drafts: OutboxRow[], session: ClientSession) =>
      rows.insert(
        drafts.map((draft) => outboxDoc(draft, new Date(clock.now()))),
        session,
      ),

    /**
     * Publishes what is unsent of that source; when it resolves, all rows committed before the call were published or are
     * left to the relay. Rejects only when MongoDB is unavailable.
     */
    publish,

    /** The same in the background: a failure is logged and left to the relay. */
    publishSoon: (actor: string): void => inBackground(actor, publish(actor)),

    /** The same for the rows of a commit that this process has just made, without reading them back where that is safe. */
    committed(actor: string, commit: CommittedRows): void {
      unpublished.add(actor, commit);
      inBackground(actor, start(actor, { mustRead: false, isTurn: false }));
    },

    /**
     * Sources with rows that have waited longer than `ageMs` and haven't failed yet, by name: some of those after `source`
     * ("" = of all), and where to go on, null at the end.
     */
    async waitingAfter(source: string, ageMs: number): Promise<{ sources: string[]; next: string | null }> {
      const { heads, next } = await rows.headsAfter(source);
      const now = clock.now();
      // A row from the future is of a process whose clock is ahead: how old it is can't be known.
      const isOld = (createdAt: Date) => Math.abs(now - createdAt.getTime()) > ageMs;
      const due = heads.filter(({ actor, createdAt }) => isOld(createdAt) && !backOff.has(actor));
      return { sources: due.map(({ actor }) => actor), next };
    },

    /** At most `limit` sources that failed and whose pause is over, those that failed longest ago first. */
    failedBefore: (limit: number): string[] => backOff.over(clock.now(), limit),

    /**
     * Publishes at most a page of that source, so that a long one keeps no other waiting; true when it has more. One that
     * fails, or whose part of Redis is unavailable, is left alone for a while. What this process publishes anyway isn't waited for.
     */
    async publishTurn(actor: string): Promise<boolean> {
      const current = running.get(actor);
      if (current) {
        current.mustRead = true;
        return false;
      }
      const published = await start(actor, { mustRead: true, isTurn: true }).catch(
        (err: unknown): Published => {
          log.warn({ err, actor }, "the outbox could not be read; it is tried again");
          return "unavailable";
        },
      );
      if (published === "all") backOff.succeeded(actor);
      else if (published !== "more")
        backOff.failed(
          actor,
          clock.now(),
          published === "unavailable" ? LONGEST_UNAVAILABLE_MS : LONGEST_FAILING_MS,
        );
      return published === "more";
    },

    /** Resolves when nothing is being published any more. */
    async idle(): Promise<void> {
      while (running.size > 0) {
        await Promise.allSettled([...running.values()].map((state) => state.done));
      }
      await deleter.idle();
    },
  };
}
