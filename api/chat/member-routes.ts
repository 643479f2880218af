import { summaryOf, userSummary } from "../../actors/accounts/profile/views.ts";
import { userIdOf, viewerOf } from "../../actors/accounts/tokens/caller.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { restrictionView } from "./restriction-view.ts";

const MESSAGES = 50;
const ACTIONS = 50;
/** Of a card, which everybody may see. */
const CARD_MESSAGES = 20;

/** What a room shows of one user, and what its moderators look up before they act. */
export function memberRoutes({ bind, bindPage }: Operations, deps: RouteDeps): void {
  const { directory, chatBans, channelRoles, follows, blocking, points, moderation, rooms, clock } = deps;
  const { channelAccess, shownBadges } = deps;

  bind("getChatUser", async ({ caller, stream, params: { user_id: userId } }) => {
    const user = await directory.requireUser(userId);
    await channelAccess.requireVisible(userId, viewerOf(caller), user);
    const { _id: streamId, userId: ownerId } = stream;
    const callerId = userIdOf(caller);
    const role = await channelRoles.roleAsTarget(stream, userId);
    const [badges, follow, followed, isBlocking, messages] = await Promise.all([
      shownBadges.of(ownerId, userId, role),
      follows.find(userId, ownerId),
      callerId === null ? null : follows.find(callerId, userId),
      callerId === null ? false : blocking.isBlocking(callerId, userId),
      rooms.messagesOf(streamId, userId, CARD_MESSAGES),
    ]);
    return {
      user: userSummary(user),
      role,
      badges,
      followed_at: follow?.createdAt.toISOString() ?? null,
      is_following: followed !== null,
      is_blocking: isBlocking,
      messages: messages.filter(({ is_deleted }) => !is_deleted),
    };
  });

  bindPage("listMemberMessages", async ({ stream, params: { user_id: userId } }, range) => {
    await directory.requireUser(userId);
    return rooms.messagePageOf(stream._id, userId, range);
  });

  bindPage("listMemberNotes", ({ caller, stream, params: { user_id: userId } }, range) =>
    moderation.notePage(stream, userId, caller.userId, range),
  );

  bind("createMemberNote", ({ caller, stream, params, body, origin, idempotencyKey }) =>
    moderation.addNote(
      { streamId: stream._id, targetId: params.user_id, by: caller.userId, origin },
      body.text,
      idempotencyKey,
    ),
  );

  bind("deleteMemberNote", async ({ caller, stream, params, origin }) => {
    const action = { streamId: stream._id, targetId: params.user_id, by: caller.userId, origin };
    await moderation.deleteNote(action, params.note_id);
    return { success: true };
  });

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
