import { ServiceError } from "../../../contract/errors.ts";
import { inTime } from "../socket/deadline.ts";
import type { RequireVisible } from "../socket/room-check.ts";
import type { InitialStates } from "./initial-state.ts";
import type { StaffList } from "./member-state.ts";

/**
 * Of an account that is banned or deleted only staff see the room, as `api/http/resources.ts` has it for REST: not by a personal
 * token.
 */
export function createRoomVisibility(deps: {
  initialStates: Pick<InitialStates, "isOpen">;
  staff: StaffList;
}): RequireVisible {
  return async (streamId, viewer, deadline) => {
    if (await inTime(deps.initialStates.isOpen(streamId), deadline)) return;
    if (viewer === null || viewer.grant || !deps.staff.isKnownStaff(viewer.userId))
      throw new ServiceError("not_found");
  };
}
