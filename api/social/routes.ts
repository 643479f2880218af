import type { Blocking } from "../../actors/channels/blocking.ts";
import type { CategoryNames, ChannelCategories } from "../../actors/channels/categories.ts";
import type { Followed, Following } from "../../actors/channels/following.ts";
import { streamSummary } from "../../actors/channels/view.ts";
import { userSummary } from "../../actors/identity/views.ts";
import type { Follow } from "../../specs/contract/wire.ts";
import type { Operations } from "../http/bind.ts";
import { pageOf, paginated } from "../http/pagination.ts";

export type SocialRouteDeps = { following: Following; blocking: Blocking; categories: ChannelCategories };

export function socialRoutes(
  { bind }: Operations,
  { following, blocking, categories }: SocialRouteDeps,
): void {
  bind("followUser", async ({ caller, params }) => {
    const followed = await following.follow(caller.userId, params.user_id);
    return followView(followed, await categories.namesOf([followed.stream]));
  });

  bind("unfollowUser", async ({ caller, params }) => following.unfollow(caller.userId, params.user_id));

  bind("listMyFollowing", async ({ caller, query }) => {
    const page = pageOf(query);
    const { items, total } = await following.page(caller.userId, page.skip, page.limit);
    const names = await categories.namesOf(items.map(({ stream }) => stream));
    return paginated(page, { items: items.map((one) => followView(one, names)), total });
  });

  bind("blockUser", ({ caller, params }) => blocking.block(caller.userId, params.user_id));

  bind("unblockUser", ({ caller, params }) => blocking.unblock(caller.userId, params.user_id));

  bind("listMyBlocks", async ({ caller, query }) => {
    const page = pageOf(query);
    const { items, total } = await blocking.page(caller.userId, page.skip, page.limit);
    return paginated(page, { items: items.map(userSummary), total });
  });
}

/** Viewers are those of the last count, as in every list. */
function followView({ follow, user, stream }: Followed, names: CategoryNames): Follow {
  return {
    id: follow.id,
    follower_id: follow.followerId,
    following_id: follow.followingId,
    created_at: follow.createdAt.toISOString(),
    following: { ...userSummary(user), stream: streamSummary(stream, stream.viewerCount, names) },
  };
}
