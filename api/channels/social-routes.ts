import { userSummary } from "../../actors/accounts/profile/views.ts";
import type { CategoryNames } from "../../actors/channels/categories.ts";
import type { Followed } from "../../actors/channels/following.ts";
import { notificationsOf, streamSummary } from "../../actors/channels/view.ts";
import type { Follow } from "../../contract/wire.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage, mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function socialRoutes(
  { bind, bindPage }: Operations,
  { following, blocking, categories, moderatedChannels }: RouteDeps,
): void {
  bind("followUser", async ({ caller, params }) => {
    const followed = await following.follow(caller.userId, params.user_id);
    return followView(followed, await categories.namesOf([followed.stream]));
  });

  bind("updateFollow", async ({ caller, user, body }) => {
    const followed = await following.setMuted(caller.userId, user, body.notifications === "none");
    return followView(followed, await categories.namesOf([followed.stream]));
  });

  bind("unfollowUser", async ({ caller, params }) => following.unfollow(caller.userId, params.user_id));

  bindPage("listMyFollowing", ({ caller }, range) =>
    mapPageBatch(following.page(caller.userId, "newest follow", range), async (followed) => {
      const names = await categories.namesOf(followed.map(({ stream }) => stream));
      return followed.map((one) => followView(one, names));
    }),
  );

  bindPage("listModeratedChannels", ({ caller }, range) => moderatedChannels.page(caller.userId, range));

  bindPage("listFollowers", ({ user }, range) =>
    mapPage(following.followersOf(user._id, range), userSummary),
  );

  bindPage("listFollowing", ({ user }, range) => mapPage(following.followedBy(user._id, range), userSummary));

  bind("blockUser", ({ caller, params, origin }) =>
    blocking.block({ userId: caller.userId, origin }, params.user_id),
  );

  bind("unblockUser", ({ caller, params }) => blocking.unblock(caller.userId, params.user_id));

  bindPage("listMyBlocks", ({ caller }, range) => mapPage(blocking.page(caller.userId, range), userSummary));
}

/** The viewer count is that of the last count, as in every list. */
function followView({ follow, user, stream }: Followed, names: CategoryNames): Follow {
  return {
    id: follow.id,
    follower_id: follow.followerId,
    following_id: follow.followingId,
    created_at: follow.createdAt.toISOString(),
    notifications: notificationsOf(follow),
    following: { ...userSummary(user), stream: streamSummary(stream, stream.viewerCount, names) },
  };
}
