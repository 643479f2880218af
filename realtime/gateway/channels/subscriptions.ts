import { parseCursor } from "../../../base/room-position.ts";
import { invalid, ServiceError } from "../../../contract/errors.ts";
import type { Feeds } from "../feed/feeds.ts";
import type { Connection, Subscription } from "../socket/connection.ts";
import { inTime } from "../socket/deadline.ts";
import type { FanOut } from "../socket/fan-out.ts";
import { message } from "../socket/frames.ts";
import { isOverlay } from "../socket/scopes.ts";
import type { createChatChannel, Joining } from "./chat-channel.ts";
import { type InitialStates, viewersStateOf } from "./initial-state.ts";
import type { UserChannel } from "./user-channel.ts";
import type { ViewerCounts } from "./viewer-counts.ts";

const MAX_CHANNELS = 50;
const CHANNEL = /^(chat|viewers):([0-9a-f-]{36})$/;

/** `first` is sent before everything else, once it is certain that something else follows. */
type SubscribeRequest = {
  channel: string;
  after: string | null;
  /** A raid from that room moves this subscription to its target. */
  followsRaids?: boolean;
  first: string[];
  deadline: number;
};

export function streamIdIn(channel: string, kind: "chat" | "viewers"): string | null {
  const match = CHANNEL.exec(channel);
  return match?.[1] === kind ? (match[2] ?? null) : null;
}

/** The channels that sockets follow. A subscription gets, in this order: reply, `subscribed`, replay, live events. */
export function createSubscriptions(deps: {
  chat: ReturnType<typeof createChatChannel>;
  user: UserChannel;
  initialStates: InitialStates;
  feeds: Feeds;
  fanOut: FanOut;
  counts: ViewerCounts;
}) {
  const { chat, user, initialStates, feeds, fanOut, counts } = deps;

  function begin(connection: Connection, request: SubscribeRequest): Joining {
    const { channel, first, deadline, followsRaids = false } = request;
    if (connection.channels.has(channel)) throw new ServiceError("invalid_state", { channel });
    if (connection.channels.size >= MAX_CHANNELS) {
      throw new ServiceError("rate_limited", { bucket: "channels", limit: MAX_CHANNELS });
    }
    // An overlay stays with its channel: its token opens no other room, and a raid's move checks no scopes.
    const stays = isOverlay(connection.holder);
    const subscription: Subscription = { followsRaids: followsRaids && !stays, leave: () => undefined };
    connection.channels.set(channel, subscription);
    return {
      connection,
      channel,
      first,
      deadline,
      leaveBy(leave) {
        subscription.leave = leave;
      },
      isWanted: () => connection.isOpen && connection.channels.get(channel) === subscription,
    };
  }

  /** Resolves when `subscribed` was sent, and `caughtUp` when the replay is done. Throws unavailable at the deadline. */
  async function subscribe(
    connection: Connection,
    request: SubscribeRequest,
  ): Promise<{ caughtUp: Promise<void> }> {
    const { channel, after } = request;
    const position = after === null ? null : parseCursor(after);
    if (after !== null && position === null) {
      throw invalid({ path: "/after", rule: "pattern", message: "must be <epoch>:<seq>" });
    }
    const joining = begin(connection, request);
    try {
      const chatOf = streamIdIn(channel, "chat");
      const viewersOf = streamIdIn(channel, "viewers");
      if (chatOf) {
        const behind = await chat.follow(joining, chatOf, position);
        return {
          caughtUp: behind ? inTurn(joining, () => chat.catchUp(joining, behind)) : Promise.resolve(),
        };
      }
      if (viewersOf) await followViewers(joining, viewersOf);
      else await user.follow(joining, position);
      return { caughtUp: Promise.resolve() };
    } catch (err) {
      unsubscribe(connection, channel);
      throw err;
    }
  }

  /** Runs the replays of one socket one after the other. A failed one ends its subscription. */
  async function inTurn(
    { connection, channel, isWanted }: Joining,
    catchUp: () => Promise<void>,
  ): Promise<void> {
    try {
      await connection.replayInTurn(catchUp);
    } catch (err) {
      // Ignored if the socket has left meanwhile, and perhaps subscribed again.
      if (!isWanted()) return;
      unsubscribe(connection, channel);
      throw err;
    }
  }

  async function followViewers(joining: Joining, streamId: string): Promise<void> {
    const { connection, first, deadline, isWanted } = joining;
    const feed = await feeds.join(streamId, deadline);
    joining.leaveBy(() => feeds.leave(feed));
    if (!isWanted()) return feeds.leave(feed);
    const view = await inTime(initialStates.viewersOf(feed), deadline);
    if (!isWanted()) return;
    counts.follow(streamId, view.viewerCount);
    joining.leaveBy(() => {
      counts.leave(streamId);
      fanOut.unfollow(connection, feed.viewersTopic);
      feeds.leave(feed);
    });
    const data = { epoch: null, seq: null, recovered: null, state: viewersStateOf(view, feed) };
    connection.send(...first, message("subscribed", feed.viewersTopic, data));
    fanOut.follow(connection, feed.viewersTopic);
  }

  function unsubscribe(connection: Connection, channel: string): void {
    const subscription = connection.channels.get(channel);
    connection.channels.delete(channel);
    subscription?.leave();
  }

  return {
    subscribe,
    unsubscribe,
    leaveAll(connection: Connection): void {
      for (const channel of [...connection.channels.keys()]) unsubscribe(connection, channel);
    },
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;
