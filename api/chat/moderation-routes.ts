import { summaryOf } from "../../actors/accounts/profile/views.ts";
import type { Operations } from "../http/bind.ts";
import { mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

/** What moderators have besides acts on one user: slash commands, the moderation log, the list of chatters. */
export function chatModerationRoutes({ bind, bindPage }: Operations, deps: RouteDeps): void {
  const { moderation, rooms, directory } = deps;

  bind("runChatCommand", async ({ caller, stream, body, origin }) => {
    const text = { text: body.command, path: "/body/command" };
    await moderation.command({ streamId: stream._id, by: caller.userId, origin }, text, caller.grant);
    return { success: true };
  });

  bindPage("listModerationActions", ({ stream, query }, range) => {
    const { action, actor: actorId, target: targetId, since, until } = query;
    const time = {
      since: since === undefined ? undefined : new Date(since),
      until: until === undefined ? undefined : new Date(until),
    };
    return moderation.actionPage({ streamId: stream._id, action, actorId, targetId, ...time }, range);
  });

  bindPage("listAllModerationActions", ({ stream, query }, range) => {
    const { action, actor: actorId, target: targetId } = query;
    return moderation.staffActionPage({ streamId: stream._id, action, actorId, targetId }, range);
  });

  bindPage("listChatters", ({ stream }, range) =>
    mapPageBatch(rooms.chatters.page(stream._id, range), async (userIds) => {
      const users = await directory.usersByIds(userIds);
      return userIds.map((userId) => summaryOf(userId, users.get(userId)));
    }),
  );
}
