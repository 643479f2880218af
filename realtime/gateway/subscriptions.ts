import { ServiceError } from "../../specs/contract/errors.ts";
import type { Log } from "../../store/log.ts";
import { type Position, parseCursor } from "../../store/room-position.ts";
import type { Connection } from "./connection.ts";
import type { Feeds } from "./feeds.ts";
import { message } from "./frames.ts";
import { inTime } from "./in-time.ts";
import { isModerating, type MemberStandings } from "./member-standing.ts";
import { isRecoverable, joinFromRing, replay } from "./replay.ts";
import type { ReplayBudget } from "./replay-budget.ts";
import type { RoomFeed } from "./room-feed.ts";
import type { TimeSlicer } from "./time-slicer.ts";
import type { GatewayDeps } from "./types.ts";
import type { ViewerCounts } from "./viewer-counts.ts";
import { createWelcomes, stateOf, viewersStateOf } from "./welcome.ts";

const MAX_CHANNELS = 50;
/** Events. */
const LONG_REPLAY = 256;
const CHANNEL = /^(chat|viewers):([0-9a-f-]{36})$/;

/** A subscription of one socket; `leave` gives back what it holds, and may be called before it is live. */
type Subscription = { leave(): void };

/** `first` is sent before everything else, once it is clear that there will be something else. */
type Asked = { channel: string; after: string | null; first: string[]; deadline: number };

type Behind = { feed: RoomFeed; position: Position };

export type ChatMember = { connection: Connection; isModerator: boolean };

export function streamIdIn(channel: string, kind: "chat" | "viewers"): string | null {
  const match = CHANNEL.exec(channel);
  return match?.[1] === kind ? (match[2] ?? null) : null;
}

/** What sockets follow. After a subscription: reply, `subscribed`, replay, live. */
export function createSubscriptions(deps: {
  gateway: Pick<GatewayDeps, "rooms" | "presence" | "predictions" | "streams">;
  standings: MemberStandings;
  feeds: Feeds;
  counts: ViewerCounts;
  slicer: TimeSlicer;
  budget: ReplayBudget;
  /** A chat socket has come to a room or left it. */
  onSize(streamId: string): void;
  log: Log;
}) {
  const { gateway, standings, feeds, counts, slicer, budget, log } = deps;
  const { rooms } = gateway;
  const welcomes = createWelcomes({ gateway, standings, log });
  const members = new Map<string, Set<ChatMember>>();

  function begin(
    connection: Connection,
    channel: string,
  ): { subscription: Subscription; isWanted(): boolean } {
    if (connection.channels.has(channel)) throw new ServiceError("invalid_state", { channel });
    if (connection.channels.size >= MAX_CHANNELS) {
      throw new ServiceError("rate_limited", { bucket: "channels", limit: MAX_CHANNELS });
    }
    const subscription: Subscription = { leave: () => undefined };
    connection.channels.set(channel, subscription);
    return {
      subscription,
      isWanted: () => connection.isOpen && connection.channels.get(channel) === subscription,
    };
  }

  /**
   * Resolves when the socket has been told that it is subscribed, and `caughtUp` when it has what came before. Throws
   * unavailable at the deadline.
   */
  async function subscribe(connection: Connection, asked: Asked): Promise<{ caughtUp: Promise<void> }> {
    const { channel, after } = asked;
    const position = after === null ? null : parseCursor(after);
    if (after !== null && position === null) {
      throw new ServiceError("validation_failed", {
        errors: [{ path: "/after", rule: "pattern", message: "must be <epoch>:<seq>" }],
      });
    }
    const handle = begin(connection, channel);
    try {
      const chat = streamIdIn(channel, "chat");
      const viewers = streamIdIn(channel, "viewers");
      if (chat) {
        const behind = await followChat(connection, chat, position, asked, handle);
        return { caughtUp: behind ? catchUpInTurn(connection, channel, behind, handle) : Promise.resolve() };
      }
      if (viewers) await followViewers(connection, viewers, asked, handle);
      else followUser(connection, asked.first, handle.subscription);
      return { caughtUp: Promise.resolve() };
    } catch (err) {
      unsubscribe(connection, channel);
      throw err;
    }
  }

  /** Gives where the socket stands when it isn't live yet, else null. */
  async function followChat(
    connection: Connection,
    streamId: string,
    after: Position | null,
    { first, deadline }: Asked,
    { subscription, isWanted }: ReturnType<typeof begin>,
  ): Promise<Behind | null> {
    const feed = await feeds.join(streamId, deadline);
    subscription.leave = () => feeds.leave(feed);
    if (!isWanted()) {
      feeds.leave(feed);
      return null;
    }
    const mayReplay = after === null || (await isAffordable(connection, feed, after, first));
    const userId = connection.holder?.userId ?? null;
    const looks = Promise.all([
      welcomes.of(feed),
      userId === null ? null : standings.of(streamId, userId),
      after ? mayReplay && isRecoverable(rooms, feed, after) : null,
    ]);
    const [view, own, recovered] = await inTime(looks, deadline);
    const standing = own ?? view.standing;
    const isContinued = after !== null && recovered === true;
    // Events since the view was taken follow it; whoever continues from elsewhere is told where the room is.
    const position = isContinued ? after : view.position;
    const isLive = await slicer.run(() => {
      if (!isWanted()) return true;
      subscription.leave = enter(connection, feed, isModerating(standing));
      const { epoch, seq } = isContinued ? feed.position : view.position;
      const data = { epoch, seq, recovered, state: stateOf(view, standing) };
      const told = [...first, message("subscribed", feed.topic, data)];
      if (joinFromRing({ feeds, feed, connection, position, budget, first: told })) return true;
      connection.send(...told);
      return false;
    });
    return isLive ? null : { feed, position };
  }

  /**
   * Whether the minute's budget has something left for a replay. A command is refused, so that it can be repeated; a
   * dedicated path goes on without (`recovered: false`), since a browser can't read why its socket was refused.
   */
  async function isAffordable(
    connection: Connection,
    feed: RoomFeed,
    after: Position,
    first: readonly string[],
  ): Promise<boolean> {
    const { epoch, seq } = feed.position;
    // Whoever missed about as much as a ring holds isn't worth a call: a herd of them may come to a fresh worker.
    const isLong = !feed.reaches(after) && (epoch !== after.epoch || seq - after.seq > LONG_REPLAY);
    const refusal = budget.refusal(connection) ?? (isLong ? await budget.refusalOverall(connection) : null);
    if (refusal && first.length > 0) throw refusal;
    return refusal === null;
  }

  /** Returns how to leave. */
  function enter(connection: Connection, feed: RoomFeed, isModerator: boolean): () => void {
    const member = { connection, isModerator };
    const room = members.get(feed.streamId) ?? new Set();
    members.set(feed.streamId, room.add(member));
    deps.onSize(feed.streamId);
    return () => {
      room.delete(member);
      if (room.size === 0) members.delete(feed.streamId);
      deps.onSize(feed.streamId);
      connection.unfollow(feed.topic);
      feeds.leave(feed);
    };
  }

  async function catchUpInTurn(
    connection: Connection,
    channel: string,
    behind: Behind,
    { isWanted }: ReturnType<typeof begin>,
  ): Promise<void> {
    try {
      await connection.replayInTurn(() => catchUp(connection, behind, isWanted));
    } catch (err) {
      // Whoever has left meanwhile, and perhaps come again, isn't concerned.
      if (!isWanted()) return;
      unsubscribe(connection, channel);
      throw err;
    }
  }

  async function catchUp(
    connection: Connection,
    { feed, position }: Behind,
    isWanted: () => boolean,
  ): Promise<void> {
    const isLive = await replay({ rooms, feeds, feed, slicer, connection, position, budget, isWanted });
    if (isLive || !isWanted()) return;
    // The log was trimmed under a slow reader, or its budget ran out: say so, and go on live.
    feeds.flush(feed);
    connection.send(message("room.epoch", feed.topic, { epoch: feed.position.epoch, continuous: false }));
    connection.follow(feed.topic);
  }

  async function followViewers(
    connection: Connection,
    streamId: string,
    { first, deadline }: Asked,
    { subscription, isWanted }: ReturnType<typeof begin>,
  ): Promise<void> {
    const feed = await feeds.join(streamId, deadline);
    subscription.leave = () => feeds.leave(feed);
    if (!isWanted()) return feeds.leave(feed);
    const view = await inTime(welcomes.viewersOf(feed), deadline);
    if (!isWanted()) return;
    counts.follow(streamId, view.viewerCount);
    subscription.leave = () => {
      counts.leave(streamId);
      connection.unfollow(feed.viewersTopic);
      feeds.leave(feed);
    };
    const data = { epoch: null, seq: null, recovered: null, state: viewersStateOf(view, feed) };
    connection.send(...first, message("subscribed", feed.viewersTopic, data));
    connection.follow(feed.viewersTopic);
  }

  /** The user's events are sent to the user's sockets directly; being in `channels` is what asks for them. */
  function followUser(connection: Connection, first: string[], subscription: Subscription): void {
    if (!connection.holder) throw new ServiceError("auth_required");
    subscription.leave = () => undefined;
    const data = { epoch: null, seq: null, recovered: null, state: {} };
    connection.send(...first, message("subscribed", "user", data));
  }

  /** True when it was followed. */
  function unsubscribe(connection: Connection, channel: string): boolean {
    const subscription = connection.channels.get(channel);
    connection.channels.delete(channel);
    if (subscription && isSubscription(subscription)) subscription.leave();
    return subscription !== undefined;
  }

  return {
    subscribe,
    unsubscribe,
    leaveAll(connection: Connection): void {
      for (const channel of [...connection.channels.keys()]) unsubscribe(connection, channel);
    },
    /** Those in a room's chat who were its moderators when that was last looked at. */
    moderatorsIn: (streamId: string): Connection[] =>
      [...(members.get(streamId) ?? [])].flatMap(({ connection, isModerator }) =>
        isModerator ? [connection] : [],
      ),
    /** A user's own sockets in a room's chat. */
    membersOf: (streamId: string, userId: string): ChatMember[] =>
      [...(members.get(streamId) ?? [])].filter(({ connection }) => connection.holder?.userId === userId),
    /** Chat sockets in a room, on this worker. */
    sizeOf: (streamId: string): number => members.get(streamId)?.size ?? 0,
    /** With chat sockets here. */
    rooms: () => members.keys(),
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

function isSubscription(value: object): value is Subscription {
  return "leave" in value && typeof value.leave === "function";
}
