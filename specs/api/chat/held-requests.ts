import { newId } from "../../../base/ids.ts";
import { holdMessage } from "../../realtime/rooms/hold-message.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";
import { moderators, NONE } from "./role-matrix/rows.ts";

/** Requests about held messages. */
export const heldRequests: ResourceRequests = {
  requests: ({ world, people: { owner, user } }) => ({
    values: {
      held_id: async () => {
        const stream = await world.core.channels.requireOf(owner.id);
        const author = await world.core.directory.requireUser(user.id);
        return holdMessage(
          world.core.redis,
          { stream, author, now: world.clock.now() },
          "Is this all right?",
        );
      },
    },
  }),

  rows: [
    moderators("listHeldMessages"),
    moderators("approveHeldMessage", { request: () => ({ params: { held_id: newId() } }) }, NONE),
    moderators("denyHeldMessage", { request: () => ({ params: { held_id: newId() } }) }, NONE),
  ],
};
