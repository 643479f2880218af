import { newId } from "../../base/ids.ts";
import type { Rooms } from "../../realtime/rooms/rooms.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import { type NotificationFactDoc, typedFact } from "../../store/mongo/notifications/notification-facts.ts";
import type { Directory } from "../accounts/public.ts";
import { summaryOf } from "../accounts/public.ts";
import type { OutboxRow } from "../host/outbox-draft.ts";

export type FollowedEventDeps = {
  directory: Pick<Directory, "usersByIds">;
  streams: Pick<Streams, "findByUsers">;
  rooms: { connections: Pick<Rooms["connections"], "mayHaveSockets"> };
};

/**
 * Tells owners and moderators of new followers (`channel.followed`), whatever the owner wants to be notified of. Not in a room
 * without sockets: nobody would get an event that no log keeps, and publishing it would load the room's state for nothing. While
 * Redis can't say which rooms have some, all are told once it can be reached.
 */
export function createFollowedEvents({ directory, streams, rooms }: FollowedEventDeps) {
  /**
   * One event for each first follow among the facts. Each room is a source of its own, since rows of one source wait for those
   * before them: a room that can't be reached must not keep others waiting.
   */
  return async function rowsOf(facts: readonly NotificationFactDoc[]): Promise<OutboxRow[]> {
    const follows = facts.flatMap((doc) => {
      const fact = typedFact(doc);
      const { userId: ownerId, createdAt } = doc;
      return fact.kind === "follower" ? [{ ownerId, followerId: fact.data.followerId, createdAt }] : [];
    });
    if (follows.length === 0) return [];
    const channels = await streams.findByUsers([...new Set(follows.map(({ ownerId }) => ownerId))]);
    const heard = await Promise.all(
      channels.map(async (stream) => ((await rooms.connections.mayHaveSockets(stream._id)) ? [stream] : [])),
    );
    const roomOf = new Map(heard.flat().map(({ userId, _id }) => [userId, _id]));
    const told = follows.filter(({ ownerId }) => roomOf.has(ownerId));
    if (told.length === 0) return [];
    const users = await directory.usersByIds([...new Set(told.map(({ followerId }) => followerId))]);
    const batch = newId();
    return told.flatMap(({ ownerId, followerId, createdAt }, n): OutboxRow[] => {
      const [room, user] = [roomOf.get(ownerId), users.get(followerId)];
      if (room === undefined || user?.status !== "active") return [];
      const data = { user: summaryOf(followerId, user), followed_at: createdAt.toISOString() };
      const actor = `followed:${batch}:${room}`;
      return [{ actor, version: 1, n, target: { room }, type: "channel.followed", data }];
    });
  };
}

export type FollowedEvents = ReturnType<typeof createFollowedEvents>;
