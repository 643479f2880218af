import type { Log } from "../../../base/log.ts";
import type { Position } from "../../../base/room-position.ts";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { UserEvents, UserLogEntry } from "../../rooms/user-events.ts";
import type { Connection } from "../socket/connection.ts";
import { inTime } from "../socket/deadline.ts";
import { eachFrameOf, message } from "../socket/frames.ts";
import type { Joining } from "./chat-channel.ts";
import { createMentionLookup } from "./logged-mentions.ts";
import type { ReplayBudget } from "./replay-budget.ts";
import { maySee, messagesAfter, missedSince, seesAll, type UserMessage, userMessage } from "./user-feed.ts";

/** Users whose logs are read concurrently when events may have been missed, and the delay of a retry. */
const RESYNC_CONCURRENCY = 64;
const RETRY_MS = 1_000;
/** Maximum of log reads for one join while new events keep coming. */
const MAX_JOIN_READS = 20;

type Follower = { connection: Connection };

/** One user's events on this worker, in the order of their log. */
type UserFeed = {
  userId: string;
  /** The position up to which the followers have them; null until the first follower has read the log's head. */
  position: Position | null;
  /** Includes those that are still joining. */
  all: Set<Follower>;
  live: Set<Follower>;
  /** Whether the log may have more. */
  isBehind: boolean;
  syncing: Promise<void> | null;
};

export type UserChannel = ReturnType<typeof createUserChannel>;

/**
 * Subscribes to the user's own events: `subscribed`, then what came after the client's position, then live. An event that
 * is next in its log is delivered as it came; after anything else the log is read.
 */
export function createUserChannel(deps: {
  userEvents: Pick<UserEvents, "position" | "since">;
  rooms: Pick<Rooms, "findMessage">;
  budget: ReplayBudget;
  log: Log;
}) {
  const { userEvents, budget, log } = deps;
  const asShownNow = createMentionLookup(deps);
  // Both are bounded by the sockets of this worker.
  const feeds = new Map<string, UserFeed>();
  const behind = new Set<UserFeed>();
  let isResyncing = false;
  const timer = setInterval(() => void resyncAll(), RETRY_MS);

  function deliver(feed: UserFeed, messages: readonly UserMessage[]): void {
    if (messages.length === 0) return;
    for (const { connection } of feed.live) sendTo(connection, messages);
  }

  function sendTo(connection: Connection, messages: readonly UserMessage[]): void {
    const seen = messages.filter((one) => maySee(connection, one));
    for (const frame of eachFrameOf(seen.map(({ text }) => Buffer.from(text)))) connection.sendFrame(frame);
  }

  async function catchUp(feed: UserFeed, from: Position): Promise<void> {
    let position = from;
    try {
      do {
        feed.isBehind = false;
        const since = await userEvents.since(feed.userId, position, { onlyContinued: false });
        // A log that ends before the position seen goes on with another epoch.
        if (!since || (since.head.epoch === position.epoch && since.head.seq < position.seq)) continue;
        // Of those that are joining as well; one that enters from now on joins only past these.
        const followers = [...feed.all];
        const wanted = messagesAfter(position, since).filter((one) =>
          followers.some(({ connection }) => maySee(connection, one)),
        );
        deliver(feed, await asShownNow(wanted));
        position = since.head;
        feed.position = position;
      } while (feed.isBehind && feed.all.size > 0);
    } catch (err) {
      feed.isBehind = true;
      if (feed.all.size > 0) behind.add(feed);
      throw err;
    } finally {
      // Synchronously after the last check of `isBehind`.
      feed.syncing = null;
    }
  }

  /** Resolves when the followers have everything that the log had at the call. */
  function sync(feed: UserFeed): Promise<void> {
    feed.isBehind = true;
    behind.delete(feed);
    if (feed.position === null || feed.all.size === 0) return Promise.resolve();
    feed.syncing ??= catchUp(feed, feed.position);
    return feed.syncing;
  }

  /** Syncs the feeds that are behind, in batches; failed ones are left to the next round. */
  async function resyncAll(): Promise<void> {
    if (isResyncing) return;
    isResyncing = true;
    for (let hasFailed = false; behind.size > 0 && !hasFailed; ) {
      const batch = [...behind].slice(0, RESYNC_CONCURRENCY);
      const results = await Promise.allSettled(batch.map(sync));
      const failed = results.find(({ status }) => status === "rejected");
      hasFailed = failed !== undefined;
      if (failed) log.debug({ err: failed }, "users' own events couldn't be read; they are read again");
    }
    isResyncing = false;
  }

  function receive({ userId, at, event }: UserLogEntry): void {
    const feed = feeds.get(userId);
    if (!feed) return;
    const { position } = feed;
    if (position === null || feed.syncing) {
      feed.isBehind = true;
      return;
    }
    const isSame = at.epoch === position.epoch;
    if (isSame && at.seq <= position.seq) return;
    if (event && isSame && at.seq === position.seq + 1 && !feed.isBehind) {
      feed.position = at;
      deliver(feed, [userMessage({ ...event, seq: at.seq, data: JSON.stringify(event.data) })]);
      return;
    }
    behind.add(feed);
    void resyncAll();
  }

  function enter(userId: string, follower: Follower): UserFeed {
    const feed = feeds.get(userId) ?? {
      userId,
      position: null,
      isBehind: false,
      syncing: null,
      all: new Set<Follower>(),
      live: new Set<Follower>(),
    };
    feeds.set(userId, feed);
    feed.all.add(follower);
    return feed;
  }

  function leave(feed: UserFeed, follower: Follower): void {
    feed.all.delete(follower);
    feed.live.delete(follower);
    if (feed.all.size > 0) return;
    behind.delete(feed);
    if (feeds.get(feed.userId) === feed) feeds.delete(feed.userId);
  }

  /** With the budget used up a command is refused, so that it can be repeated; the dedicated path goes on without its replay. */
  function mayReplay({ connection, first }: Joining): boolean {
    const refusal = budget.refusal(connection);
    if (refusal && first.length > 0) throw refusal;
    return refusal === null;
  }

  /** Spends the budget by what is read: much of it may be hidden from the socket, and it may leave before anything is sent. */
  async function readFor(connection: Connection, userId: string, after: Position) {
    const since = await userEvents.since(userId, after, { onlyContinued: seesAll(connection) });
    budget.spend(connection, since?.bytes ?? 0);
    return since;
  }

  /** Calls `join` synchronously once the feed's position equals the log's head, with what the client lacks up to there. */
  async function meet(
    feed: UserFeed,
    after: Position | null,
    { connection, isWanted }: Joining,
    join: (at: Position, recovered: boolean | null, missed: UserMessage[]) => void,
  ): Promise<void> {
    for (let reads = 0; reads < MAX_JOIN_READS && isWanted(); reads++) {
      const head = await userEvents.position(feed.userId);
      feed.position ??= head;
      if (feed.isBehind || feed.syncing || !isAt(feed.position, head)) await sync(feed);
      const since = after && (await readFor(connection, feed.userId, after));
      if (since && !isAt(feed.position, since.head)) continue;
      const missed = after && since && missedSince(connection, after, since);
      const messages = await asShownNow(missed?.messages ?? []);
      await connection.readyForMore();
      if (!isWanted()) return;
      if (after === null) return join(feed.position, null, []);
      if (missed && isAt(feed.position, since.head)) return join(feed.position, missed.recovered, messages);
    }
    if (isWanted()) throw unavailable();
  }

  /** Throws auth_required, rate_limited, unavailable. */
  async function follow(joining: Joining, after: Position | null): Promise<void> {
    const { connection, first, deadline, isWanted } = joining;
    if (!connection.holder) throw new ServiceError("auth_required");
    const follower = { connection };
    const feed = enter(connection.holder.userId, follower);
    joining.leaveBy(() => leave(feed, follower));
    const isReplayed = after === null || mayReplay(joining);
    const join: Parameters<typeof meet>[3] = ({ epoch, seq }, continued, missed) => {
      const recovered = isReplayed ? continued : false;
      connection.send(...first, message("subscribed", "user", { epoch, seq, recovered, state: {} }));
      sendTo(connection, missed);
      feed.live.add(follower);
    };
    await inTime(meet(feed, isReplayed ? after : null, joining, join), deadline);
    if (!isWanted()) leave(feed, follower);
  }

  return {
    follow,
    receive,
    /** Call it when any feed may have missed events. */
    resync(): void {
      for (const feed of feeds.values()) behind.add(feed);
      void resyncAll();
    },
    stop: () => clearInterval(timer),
  };
}

const isAt = (a: Position, b: Position): boolean => a.epoch === b.epoch && a.seq === b.seq;
