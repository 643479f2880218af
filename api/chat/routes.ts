import { badgeView } from "../../actors/chat/sets/badge-view.ts";
import { parseCursor } from "../../base/room-position.ts";
import { invalid } from "../../contract/errors.ts";
import { effectiveModes, modesView } from "../../realtime/rooms/state/modes.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { restrictionView } from "./restriction-view.ts";
import { RAN_AS_COMMAND, sentAnswer } from "./sent-answer.ts";

/** The room itself: reading it, sending to it, its modes. Its moderators, VIPs and bans are in roles-and-bans-routes.ts. */
export function chatRoutes({ bind }: Operations, deps: RouteDeps): void {
  const { chatBans, rooms, badgeSets, moderation, clock } = deps;

  bind("getChatRoom", async ({ caller, stream, role }) => {
    const [position, ban, ownBadges, pinned] = await Promise.all([
      rooms.position(stream._id),
      caller.kind === "user" ? chatBans.banOf(stream._id, caller.userId) : null,
      badgeSets.list(stream.userId),
      moderation.pinOf(stream),
    ]);
    return {
      room_id: stream.roomId,
      stream_id: stream._id,
      modes: modesView(effectiveModes(stream.modes)),
      role,
      restriction: restrictionView(ban, new Date(clock.now())),
      unban_requests: stream.takesUnbanRequests ?? true,
      badges: [...badgeSets.builtIn, ...[...rooms.globalSets().badges.values(), ...ownBadges].map(badgeView)],
      pinned,
      ...position,
    };
  });

  bind("listChatMessages", async ({ stream, query }) => {
    if (query.before !== undefined && query.after !== undefined) {
      throw invalid({ path: "/query/after", rule: "exclusive", message: "can't be combined with before" });
    }
    return rooms.history({
      streamId: stream._id,
      before: query.before === undefined ? null : parseCursor(query.before),
      after: query.after === undefined ? null : parseCursor(query.after),
      limit: query.limit ?? 50,
    });
  });

  bind("sendChatMessage", async ({ caller, params, body, origin, arrivedAt }) => {
    const moderating = { streamId: params.stream_id, by: caller.userId, origin, nonce: body.nonce ?? null };
    const [content, path] = [body.content, "/body/content"];
    if (await moderation.ranAsCommand(moderating, { text: content, path }, caller.grant))
      return RAN_AS_COMMAND;
    const outcome = await rooms.send({
      streamId: params.stream_id,
      sender: caller,
      content,
      contentPath: path,
      replyToId: body.reply_to_id ?? null,
      nonce: body.nonce ?? null,
      arrivedAt,
    });
    return sentAnswer(outcome);
  });

  bind("deleteChatMessage", async ({ caller, params, origin }) => {
    const { stream_id: streamId, uuid } = params;
    await moderation.deleteMessage({ streamId, by: caller.userId, origin, uuid });
    return { success: true };
  });

  bind("clearChat", async ({ caller, stream, origin }) => {
    await moderation.clear({ streamId: stream._id, by: caller.userId, origin });
    return { success: true };
  });

  bind("getChatModes", ({ stream }) => modesView(effectiveModes(stream.modes)));

  bind("updateChatSettings", ({ caller, stream, body, origin }) =>
    moderation.updateSettings({ streamId: stream._id, by: caller.userId, origin }, body),
  );
}
