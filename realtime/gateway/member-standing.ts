import type { RoomStanding } from "../rooms/room-state.ts";
import type { RoomRole } from "../rooms/types.ts";
import type { GatewayDeps } from "./types.ts";

/** How a socket's user stands in a room. Staff are staff in all rooms but their own; a room itself knows nothing of it. */
export type MemberStanding = RoomStanding & { chatRole: RoomRole | "staff" | null };

export type MemberStandings = ReturnType<typeof createMemberStandings>;

export function createMemberStandings({ rooms, identity }: Pick<GatewayDeps, "rooms" | "identity">) {
  return {
    /** `userId` null: of somebody who isn't signed in. Throws unavailable, not_found. */
    async of(streamId: string, userId: string | null): Promise<MemberStanding> {
      const standing = await rooms.standing(streamId, userId);
      const isStaff = userId !== null && standing.role !== "owner" && identity.isKnownStaff(userId);
      return { ...standing, chatRole: isStaff ? "staff" : standing.role };
    },
  };
}

export function isModerating({ chatRole }: Pick<MemberStanding, "chatRole">): boolean {
  return chatRole === "owner" || chatRole === "staff" || chatRole === "moderator";
}
