import type { Connection } from "../socket/connection.ts";
import { showsActivity } from "../socket/scopes.ts";

export type ChatMember = {
  connection: Connection;
  isModerator: boolean;
  /** When it entered, by performance.now(). */
  since: number;
};

export type ChatMembers = ReturnType<typeof createChatMembers>;

/** This worker's chat sockets by room. Both callbacks are called after the change. */
export function createChatMembers(deps: {
  onEntered(streamId: string, member: ChatMember): void;
  onLeft(streamId: string, member: ChatMember): void;
}) {
  const members = new Map<string, Set<ChatMember>>();

  return {
    /** Returns a function that leaves. */
    enter(streamId: string, joining: Omit<ChatMember, "since">): () => void {
      const member = { ...joining, since: performance.now() };
      const room = members.get(streamId) ?? new Set();
      members.set(streamId, room.add(member));
      deps.onEntered(streamId, member);
      return () => {
        room.delete(member);
        if (room.size === 0) members.delete(streamId);
        deps.onLeft(streamId, member);
      };
    },
    in: (streamId: string): Iterable<ChatMember> => members.get(streamId) ?? [],
    /** Sockets whose users were moderators of the room at the last check. */
    moderatorsIn: (streamId: string): Connection[] =>
      [...(members.get(streamId) ?? [])].flatMap(({ connection, isModerator }) =>
        isModerator ? [connection] : [],
      ),
    /** Sockets of the channel's overlays that show its activity. */
    activityOverlaysIn: (streamId: string): Connection[] =>
      [...(members.get(streamId) ?? [])].flatMap(({ connection }) =>
        showsActivity(connection.holder, streamId) ? [connection] : [],
      ),
    /** A user's own sockets in a room. */
    ofUser: (streamId: string, userId: string): ChatMember[] =>
      [...(members.get(streamId) ?? [])].filter(({ connection }) => connection.member?.userId === userId),
    sizeOf: (streamId: string): number => members.get(streamId)?.size ?? 0,
    rooms: () => members.keys(),
  };
}
