import { ServiceError } from "../../specs/contract/errors.ts";
import type { Log } from "../../store/log.ts";
import { type Position, parseCursor } from "../rooms/types.ts";
import type { Connection } from "./connection.ts";
import type { Feeds } from "./feeds.ts";
import { message } from "./frames.ts";
import { isRecoverable, joinFromRing, replay } from "./replay.ts";
import type { RoomFeed } from "./room-feed.ts";
import type { Turnstile } from "./turnstile.ts";
import type { GatewayDeps } from "./types.ts";
import type { ViewerCounts } from "./viewer-counts.ts";
import { createWelcomes, isModerating, stateOf, viewersStateOf } from "./welcome.ts";

const MAX_CHANNELS = 50;
const CHANNEL = /^(chat|viewers):([0-9a-f-]{36})$/;

/** A subscription of one socket; `leave` gives back what it holds, and may be called before it is live. */
type Subscription = { leave(): void };

export type ChatMember = { connection: Connection; isModerator: boolean };

export function streamIdIn(channel: string, kind: "chat" | "viewers"): string | null {
  const match = CHANNEL.exec(channel);
  return match?.[1] === kind ? (match[2] ?? null) : null;
}

/** What sockets follow. After a subscription: reply, `subscribed`, replay, live. */
export function createSubscriptions(deps: {
  gateway: Pick<GatewayDeps, "rooms" | "presence" | "predictions" | "streams">;
  feeds: Feeds;
  counts: ViewerCounts;
  turnstile: Turnstile;
  log: Log;
}) {
  const { gateway, feeds, counts, turnstile, log } = deps;
  const { rooms } = gateway;
  const welcomes = createWelcomes({ gateway, log });
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

  /** `first` is sent before everything else, once it is clear that there will be something else. */
  async function subscribe(connection: Connection, channel: string, after: string | null, first: string[]) {
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
      if (chat) await followChat(connection, chat, position, first, handle);
      else if (viewers) await followViewers(connection, viewers, first, handle);
      else followUser(connection, first, handle.subscription);
    } catch (err) {
      unsubscribe(connection, channel);
      throw err;
    }
  }

  async function followChat(
    connection: Connection,
    streamId: string,
    after: Position | null,
    first: string[],
    { subscription, isWanted }: ReturnType<typeof begin>,
  ): Promise<void> {
    const feed = await feeds.join(streamId);
    subscription.leave = () => feeds.leave(feed);
    if (!isWanted()) return feeds.leave(feed);
    const userId = connection.holder?.userId ?? null;
    const [view, own, recovered] = await Promise.all([
      welcomes.of(feed),
      userId === null ? null : rooms.standing(streamId, userId),
      after ? isRecoverable(rooms, feed, after) : null,
    ]);
    const standing = own ?? view.standing;
    const isContinued = after !== null && recovered === true;
    // Events since the view was taken follow it; whoever continues from elsewhere is told where the room is.
    const position = isContinued ? after : view.position;
    const isLive = await turnstile.pass(() => {
      if (!isWanted()) return true;
      subscription.leave = enter(connection, feed, isModerating(standing));
      const { epoch, seq } = isContinued ? feed.position : view.position;
      const data = { epoch, seq, recovered, state: stateOf(view, standing) };
      const told = [...first, message("subscribed", feed.topic, data)];
      if (joinFromRing({ feeds, feed, connection, position, first: told })) return true;
      connection.send(...told);
      return false;
    });
    if (!isLive) await catchUp(connection, feed, position, isWanted);
  }

  /** Returns how to leave. */
  function enter(connection: Connection, feed: RoomFeed, isModerator: boolean): () => void {
    const member = { connection, isModerator };
    const room = members.get(feed.streamId) ?? new Set();
    members.set(feed.streamId, room.add(member));
    return () => {
      room.delete(member);
      if (room.size === 0) members.delete(feed.streamId);
      connection.unfollow(feed.topic);
      feeds.leave(feed);
    };
  }

  async function catchUp(
    connection: Connection,
    feed: RoomFeed,
    position: Position,
    isWanted: () => boolean,
  ): Promise<void> {
    const isLive = await replay({ rooms, feeds, feed, turnstile, connection, position, isWanted });
    if (isLive || !isWanted()) return;
    // The log was trimmed under a slow reader: say so, and go on live.
    feeds.flush(feed);
    connection.send(message("room.epoch", feed.topic, { epoch: feed.position.epoch, continuous: false }));
    connection.follow(feed.topic);
  }

  async function followViewers(
    connection: Connection,
    streamId: string,
    first: string[],
    { subscription, isWanted }: ReturnType<typeof begin>,
  ): Promise<void> {
    const feed = await feeds.join(streamId);
    subscription.leave = () => feeds.leave(feed);
    if (!isWanted()) return feeds.leave(feed);
    const view = await welcomes.viewersOf(feed);
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
    /** Chat sockets by room, on this worker. */
    sizes: (): Map<string, number> => new Map([...members].map(([streamId, room]) => [streamId, room.size])),
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

function isSubscription(value: object): value is Subscription {
  return "leave" in value && typeof value.leave === "function";
}
