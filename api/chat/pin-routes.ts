import { ServiceError } from "../../specs/contract/errors.ts";
import type { Operations } from "../http/bind.ts";
import { reply } from "../http/reply.ts";
import type { RouteDeps } from "../http/route-deps.ts";

/** What moderators make stand out in a room: the pinned message, announcements. */
export function pinRoutes({ bind }: Operations, { moderation, rooms }: RouteDeps): void {
  bind("pinChatMessage", ({ caller, stream, body, origin }) =>
    moderation.pinMessage(
      { streamId: stream._id, by: caller.userId, origin },
      { uuid: body.uuid, durationSeconds: body.duration_seconds ?? null },
    ),
  );

  bind("unpinChatMessage", async ({ caller, stream, origin }) => {
    await moderation.unpinMessage({ streamId: stream._id, by: caller.userId, origin });
    return { success: true };
  });

  bind("announceInChat", async ({ caller, stream, body, arrivedAt }) => {
    const { content, nonce = null } = body;
    const announced = { streamId: stream._id, sender: caller, content, nonce, arrivedAt };
    const outcome = await rooms.send({ ...announced, type: "announcement" });
    if (outcome.ok) return outcome.message;
    if (outcome.code !== "held") throw ServiceError.of(outcome);
    return reply({ status: 202, body: { held: true as const, id: outcome.id } });
  });
}
