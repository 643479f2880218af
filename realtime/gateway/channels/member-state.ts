import type { RoomMemberState } from "../../rooms/room-state.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { RoomRole } from "../../rooms/state/state-hash.ts";

/** How a socket's user stands in a room. Staff are staff in all rooms but their own; a room itself knows nothing of it. */
export type MemberState = RoomMemberState & { chatRole: RoomRole | "staff" | null };

export type MemberStates = ReturnType<typeof createMemberStates>;

/** May be some seconds late; waits for nothing. */
export type StaffList = { isKnownStaff(userId: string): boolean };

export function createMemberStates({
  rooms,
  identity,
}: {
  rooms: Pick<Rooms, "memberState">;
  identity: StaffList;
}) {
  return {
    /** `userId` null: of somebody who isn't signed in. Throws unavailable, not_found. */
    async of(streamId: string, userId: string | null): Promise<MemberState> {
      const state = await rooms.memberState(streamId, userId);
      const isStaff = userId !== null && state.role !== "owner" && identity.isKnownStaff(userId);
      return { ...state, chatRole: isStaff ? "staff" : state.role };
    },
  };
}

export function isModerating({ chatRole }: Pick<MemberState, "chatRole">): boolean {
  return chatRole === "owner" || chatRole === "staff" || chatRole === "moderator";
}
