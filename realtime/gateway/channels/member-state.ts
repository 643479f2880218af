import type { RoomMemberState } from "../../rooms/room-state.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { RoomRole } from "../../rooms/state/state-hash.ts";

/**
 * The state of a socket's user in a room. Staff are staff in all rooms but their own; the room itself doesn't know about
 * staff.
 */
export type MemberState = RoomMemberState & { chatRole: RoomRole | "staff" | null };

export type MemberStates = ReturnType<typeof createMemberStates>;

/** Synchronous; may be some seconds out of date. */
export type StaffList = { isKnownStaff(userId: string): boolean };

export function createMemberStates({
  rooms,
  staff,
}: {
  rooms: Pick<Rooms, "memberState">;
  staff: StaffList;
}) {
  return {
    /** `userId` is null for somebody who isn't signed in. Throws unavailable, not_found. */
    async of(streamId: string, userId: string | null): Promise<MemberState> {
      const state = await rooms.memberState(streamId, userId);
      const isStaff = userId !== null && state.role !== "owner" && staff.isKnownStaff(userId);
      return { ...state, chatRole: isStaff ? "staff" : state.role };
    },
  };
}

export function isModerating({ chatRole }: Pick<MemberState, "chatRole">): boolean {
  return chatRole === "owner" || chatRole === "staff" || chatRole === "moderator";
}
