import type { Position } from "../../../base/room-position.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { Feeds } from "../feed/feeds.ts";
import type { RoomFeed } from "../feed/room-feed.ts";
import type { Connection } from "../socket/connection.ts";
import { inTime } from "../socket/deadline.ts";
import type { FanOut } from "../socket/fan-out.ts";
import { message } from "../socket/frames.ts";
import type { TimeSlicer } from "../socket/time-slicer.ts";
import type { ChatMembers } from "./chat-members.ts";
import { type InitialStates, stateOf } from "./initial-state.ts";
import { isModerating, type MemberStates } from "./member-state.ts";
import type { RaidRooms } from "./raid-rooms.ts";
import { isRecoverable, joinFromRing, replay } from "./replay.ts";
import type { ReplayBudget } from "./replay-budget.ts";

/** Events; a replay of more than these checks the budget over all workers first. */
const LONG_REPLAY = 256;

/** A subscription under way; `isWanted` is false once the socket has left, or subscribed to the channel again. */
export type Joining = {
  connection: Connection;
  channel: string;
  /** Sent before everything else, once it is certain that something else follows. */
  first: readonly string[];
  deadline: number;
  /** Sets the function that releases everything that the subscription holds so far. */
  leaveBy(leave: () => void): void;
  isWanted(): boolean;
};

type CatchUp = { feed: RoomFeed; position: Position };

/** Subscribes to a room's chat: `subscribed`, then what came after the client's position, then live, without a gap. */
export function createChatChannel(deps: {
  rooms: Pick<Rooms, "log">;
  members: ChatMembers;
  memberStates: MemberStates;
  raids: Pick<RaidRooms, "note">;
  initialStates: InitialStates;
  feeds: Feeds;
  fanOut: FanOut;
  slicer: TimeSlicer;
  budget: ReplayBudget;
}) {
  const { rooms, members, memberStates, raids, initialStates, feeds, fanOut, slicer, budget } = deps;

  /** Returns the socket's position if it isn't live yet, else null. */
  async function follow(joining: Joining, streamId: string, after: Position | null): Promise<CatchUp | null> {
    const { connection, first, deadline, isWanted } = joining;
    const feed = await feeds.join(streamId, deadline);
    joining.leaveBy(() => feeds.leave(feed));
    if (!isWanted()) {
      feeds.leave(feed);
      return null;
    }
    const mayReplay = after === null || (await isAffordable(joining, feed, after));
    const userId = connection.member?.userId ?? null;
    const reads = Promise.all([
      initialStates.of(feed, after),
      userId === null ? null : memberStates.of(streamId, userId),
      after ? mayReplay && isRecoverable({ rooms, feed, position: after, connection, budget }) : null,
    ]);
    const [view, own, recovered] = await inTime(reads, deadline);
    const memberState = own ?? view.memberState;
    const isContinued = after !== null && recovered === true;
    // A new subscription gets the events since the view was taken. One that resumes is replayed from the client's position,
    // and its `subscribed` has the room's own position.
    const position = isContinued ? after : view.position;
    const isLive = await slicer.run(() => {
      if (!isWanted()) return true;
      raids.note(streamId, view.parts.raids);
      const leaveRoom = members.enter(streamId, { connection, isModerator: isModerating(memberState) });
      joining.leaveBy(() => {
        leaveRoom();
        fanOut.unfollow(connection, feed.topic);
        feeds.leave(feed);
      });
      const { epoch, seq } = isContinued ? feed.position : view.position;
      const data = { epoch, seq, recovered, state: stateOf(view, memberState) };
      const messages = [...first, message("subscribed", feed.topic, data)];
      if (joinFromRing({ feeds, fanOut, feed, connection, position, budget, first: messages })) return true;
      connection.send(...messages);
      return false;
    });
    return isLive ? null : { feed, position };
  }

  /**
   * Whether the budget of the minute has something left for a replay. A command is refused, so that it can be repeated; a
   * dedicated path goes on without a replay (`recovered: false`), since a browser can't read why its socket was refused.
   */
  async function isAffordable(
    { connection, first }: Joining,
    feed: RoomFeed,
    after: Position,
  ): Promise<boolean> {
    const { epoch, seq } = feed.position;
    // A client that missed no more than about what a ring holds costs no call: many of them may reconnect to a fresh worker
    // at once.
    const isLong = !feed.reaches(after) && (epoch !== after.epoch || seq - after.seq > LONG_REPLAY);
    const refusal = budget.refusal(connection) ?? (isLong ? await budget.refusalOverall(connection) : null);
    if (refusal && first.length > 0) throw refusal;
    return refusal === null;
  }

  /** Sends what the socket still lacks, then makes it live. */
  async function catchUp({ connection, isWanted }: Joining, { feed, position }: CatchUp): Promise<void> {
    const isLive = await replay({
      rooms,
      feeds,
      fanOut,
      feed,
      slicer,
      connection,
      position,
      budget,
      isWanted,
    });
    if (isLive || !isWanted()) return;
    // The log was trimmed under a slow reader, or its budget ran out: tell the client, and go on live.
    feeds.flush(feed);
    connection.send(message("room.epoch", feed.topic, { epoch: feed.position.epoch, continuous: false }));
    fanOut.follow(connection, feed.topic);
  }

  return { follow, catchUp };
}
