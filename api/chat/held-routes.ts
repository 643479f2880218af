import { heldView } from "../../realtime/rooms/held.ts";
import type { Operations } from "../http/bind.ts";
import { sliceOf } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function heldRoutes({ bind, bindPage }: Operations, { moderation }: RouteDeps): void {
  bindPage("listHeldMessages", async ({ stream }, range) =>
    sliceOf((await moderation.listHeld(stream._id)).map(heldView), range),
  );

  bind("approveHeldMessage", async ({ caller, stream, params, origin }) => {
    await moderation.approveHeld({ streamId: stream._id, by: caller.userId, origin, heldId: params.held_id });
    return { success: true };
  });

  bind("denyHeldMessage", async ({ caller, stream, params, origin }) => {
    await moderation.denyHeld({ streamId: stream._id, by: caller.userId, origin, heldId: params.held_id });
    return { success: true };
  });
}
