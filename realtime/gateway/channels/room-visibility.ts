import type { Origin } from "../../../base/audit.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { inTime } from "../socket/deadline.ts";
import type { RequireVisible } from "../socket/room-check.ts";
import type { InitialStates } from "./initial-state.ts";
import type { StaffList } from "./member-state.ts";

export type RoomReads = {
  /** Records that staff are about to be shown a room that is there for staff alone. Throws when it can't. */
  roomShown(shown: { streamId: string; userId: string; origin: Origin }): Promise<void>;
};

/**
 * Of an account that is banned or deleted only staff see the room, as `api/http/resources.ts` has it for REST: not by a personal
 * token. What they are shown as staff is in the audit log before.
 */
export function createRoomVisibility(deps: {
  initialStates: Pick<InitialStates, "isOpen">;
  staff: StaffList;
  staffLog: RoomReads;
}): RequireVisible {
  return async (streamId, { viewer, origin }, deadline) => {
    if (await inTime(deps.initialStates.isOpen(streamId), deadline)) return;
    if (viewer === null || viewer.grant || !deps.staff.isKnownStaff(viewer.userId))
      throw new ServiceError("not_found");
    await inTime(deps.staffLog.roomShown({ streamId, userId: viewer.userId, origin }), deadline);
  };
}
