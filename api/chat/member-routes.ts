import { summaryOf } from "../../actors/accounts/profile/views.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { restrictionView } from "./restriction-view.ts";

const MESSAGES = 50;
const ACTIONS = 50;

/** What moderators look up of one user before they act. */
export function memberRoutes({ bind }: Operations, deps: RouteDeps): void {
  const { directory, chatBans, channelRoles, follows, points, moderation, rooms, clock } = deps;

  bind("getChatMember", async ({ stream, params: { user_id: userId } }) => {
    const user = await directory.requireUser(userId);
    const { _id: streamId, userId: ownerId } = stream;
    const [role, ban, follow, { balance, lifetimeEarned }, messages, { items: actions }] = await Promise.all([
      channelRoles.roleAsTarget(stream, userId),
      chatBans.banOf(streamId, userId),
      follows.find(userId, ownerId),
      points.balance(userId, ownerId),
      rooms.messagesOf(streamId, userId, MESSAGES),
      moderation.actionPage({ streamId, targetId: userId }, { skip: 0, limit: ACTIONS }),
    ]);
    return {
      user: summaryOf(userId, user),
      role,
      restriction: restrictionView(ban, new Date(clock.now())),
      followed_at: follow?.createdAt.toISOString() ?? null,
      balance,
      lifetime_earned: lifetimeEarned,
      messages,
      actions,
    };
  });
}
