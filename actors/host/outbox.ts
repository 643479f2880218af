import type { ClientSession } from "mongodb";
import type { Clock } from "../../base/clock.ts";
import { MINUTE_MS } from "../../base/durations.ts";
import type { Log } from "../../base/log.ts";
import { createOutageLog } from "../../base/outage-log.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { outboxIn, UNSENT_PAGE } from "../../store/mongo/host/outbox.ts";
import type { RoomEffects } from "../../store/mongo/host/room-state-change.ts";
import { BackOff } from "./back-off.ts";
import { BatchDeleter } from "./batch-deleter.ts";
import { type HostMetrics, noMetrics } from "./metrics.ts";
import { type OutboxRow, outboxDoc } from "./outbox-draft.ts";
import { createRowPublisher, type PublishedRows } from "./publish-rows.ts";
import { type CommittedRows, UnpublishedCommits } from "./unpublished-commits.ts";

/** A room event to publish; `actor` is its position in its source's order, by which duplicates are dropped. */
export type RoomEvent = {
  streamId: string;
  type: string;
  data: Record<string, unknown>;
  actor: { ref: string; version: number; n: number };
  effects?: RoomEffects;
};

export type Publishers = {
  publishRoom(event: RoomEvent): Promise<unknown>;
  /** One private event for several users, with data of its own for each. */
  publishUsers(
    type: string,
    recipients: { userId: string; data: Record<string, unknown> }[],
    source: RoomEvent["actor"],
  ): Promise<unknown>;
};

/** Longest pauses. An unavailable store recovers by itself, so it is retried soon; other failures need an operator. */
const MAX_UNAVAILABLE_PAUSE_MS = 2_000;
const MAX_FAILING_PAUSE_MS = MINUTE_MS;

/** "more" = a page was published, and the source has more rows. */
type Published = PublishedRows | "more";

/** A publish run of one source in progress. */
type Run = {
  mustRead: boolean;
  /** A turn of the relay: it ends after one page, unless a caller that needs all rows joins the run. */
  isTurn: boolean;
  /** The newest version that counts as published once the last page is published. */
  upTo: number;
  done: Promise<Published>;
};

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * Transactional outbox: publishes committed rows at least once, in the order of each source:
 * 1. rows are written in the transaction of their cause;
 * 2. after the commit its rows are published from memory if everything before them is known to be published; otherwise
 *    `publish` reads all unsent rows of that source and publishes them in order. Published rows are deleted;
 * 3. the relay in `jobs` publishes rows that a crashed process or an unavailable Redis left behind, in the same way.
 * Two publishers of one source may overlap: rooms drop events that aren't newer, users' logs those that they already have.
 */
export function createOutbox(
  deps: { mongo: Mongo; clock: Clock; log: Log; metrics?: HostMetrics; backOff?: BackOff } & Publishers,
) {
  const { clock, log, metrics = noMetrics, backOff = new BackOff() } = deps;
  const rows = outboxIn(deps.mongo.db);
  const running = new Map<string, Run>();
  const unpublished = new UnpublishedCommits();
  const reading = createOutageLog(log, "outbox reading");
  const deleter = new BatchDeleter(rows.remove, (err) =>
    log.warn(
      { err },
      "what was published could not be removed from the outbox; the relay publishes it again",
    ),
  );

  const publishRows = createRowPublisher({ rows, deleter, clock, log, metrics }, async (row) => {
    const { target, type, data, actor, version, n, effects } = row;
    if ("inRoom" in target) {
      // The room drops those that it already has by their positions.
      for (const [i, event] of target.events.entries())
        await deps.publishRoom({
          streamId: target.inRoom,
          type,
          data: event,
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

  /** Reads and publishes the first page of that source's unsent rows. */
  async function publishPage(actor: string, state: Run): Promise<Published> {
    state.upTo = Math.max(state.upTo, unpublished.takeOver(actor));
    // Wait for pending deletes, so that published rows aren't read again.
    await deleter.idle();
    const page = await rows.unsentOf(actor);
    const published = await publishRows(page);
    if (published !== "all") return published;
    state.upTo = Math.max(state.upTo, page.at(-1)?.version ?? 0);
    const hasMore = page.length === UNSENT_PAGE;
    if (!hasMore && state.upTo > 0) unpublished.published(actor, state.upTo);
    // The same for another process that continues with this source.
    await deleter.idle();
    return hasMore ? "more" : "all";
  }

  async function publishFresh(actor: string, { version, rows }: CommittedRows): Promise<Published> {
    const published = await publishRows(rows);
    if (published === "all") unpublished.published(actor, version);
    return published;
  }

  async function run(actor: string, state: Run): Promise<Published> {
    // Stays false after a failure: then it's unknown what was published.
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
    publishing.then(reading.succeeded, (err: unknown) => reading.failed(err, { actor }));
  }

  return {
    /** For sources that aren't actors of the host: writes rows with an order of their own, in the transaction of their cause. */
    write: (drafts: OutboxRow[], session: ClientSession) =>
      rows.insert(
        drafts.map((draft) => outboxDoc(draft, new Date(clock.now()))),
        session,
      ),

    /**
     * Publishes the unsent rows of that source. When it resolves, all rows committed before the call have been published or
     * left to the relay. Rejects only when MongoDB is unavailable.
     */
    publish,

    /** Like `publish`, in the background: a failure is logged and left to the relay. */
    publishSoon: (actor: string): void => inBackground(actor, publish(actor)),

    /** Like `publishSoon`, for a commit that this process has just made: doesn't read its rows back where that is safe. */
    committed(actor: string, commit: CommittedRows): void {
      unpublished.add(actor, commit);
      inBackground(actor, start(actor, { mustRead: false, isTurn: false }));
    },

    /**
     * A page of the sources, ordered by name and after `source` ("" = from the start), whose rows have waited longer than
     * `ageMs` and that haven't failed. `next` is the cursor of the next page, null at the end.
     */
    async waitingAfter(source: string, ageMs: number): Promise<{ sources: string[]; next: string | null }> {
      const { heads, next } = await rows.headsAfter(source);
      const now = clock.now();
      // A row from the future was written by a process whose clock is ahead: its age is unknown.
      const isOld = (createdAt: Date) => Math.abs(now - createdAt.getTime()) > ageMs;
      const due = heads.filter(({ actor, createdAt }) => isOld(createdAt) && !backOff.has(actor));
      return { sources: due.map(({ actor }) => actor), next };
    },

    /** At most `limit` failed sources whose back-off is over; those that failed longest ago come first. */
    failedBefore: (limit: number): string[] => backOff.over(clock.now(), limit),

    /**
     * Publishes at most a page of that source, so that a long one doesn't keep others waiting; true when it has more rows.
     * A source that fails, or whose Redis node is unavailable, backs off. When this process is already publishing the source,
     * this call only makes that run read the unsent rows, and doesn't wait for it.
     */
    async publishTurn(actor: string): Promise<boolean> {
      const current = running.get(actor);
      if (current) {
        current.mustRead = true;
        return false;
      }
      const published = await start(actor, { mustRead: true, isTurn: true }).catch(
        (err: unknown): Published => {
          reading.failed(err, { actor });
          return "unavailable";
        },
      );
      if (published === "all") backOff.succeeded(actor);
      else if (published !== "more")
        backOff.failed(
          actor,
          clock.now(),
          published === "unavailable" ? MAX_UNAVAILABLE_PAUSE_MS : MAX_FAILING_PAUSE_MS,
        );
      return published === "more";
    },

    /** Resolves when no run is in progress and all pending deletes are done. */
    async idle(): Promise<void> {
      while (running.size > 0) {
        await Promise.allSettled([...running.values()].map((state) => state.done));
      }
      await deleter.idle();
    },
  };
}
