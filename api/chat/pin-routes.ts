import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { sentAnswer } from "./sent-answer.ts";

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
    const outcome = await rooms.send({
      streamId: stream._id,
      sender: caller,
      content,
      contentPath: "/body/content",
      type: "announcement",
      nonce,
      arrivedAt,
    });
    return sentAnswer(outcome);
  });
}
