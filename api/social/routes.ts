import type { Followed, Following } from "../../actors/channels/following.ts";
import { streamSummary } from "../../actors/channels/view.ts";
import { userSummary } from "../../actors/identity/views.ts";
import type { PublicUserDoc } from "../../store/mongo/users.ts";
import type { Operations } from "../http/bind.ts";
import { pageOf, paginated } from "../http/pagination.ts";

export type SocialRouteDeps = { following: Following<PublicUserDoc> };

export function socialRoutes({ bind }: Operations, { following }: SocialRouteDeps): void {
  bind("followUser", async ({ caller, params }) =>
    followView(await following.follow(caller.userId, params.user_id)),
  );

  bind("unfollowUser", async ({ caller, params }) => following.unfollow(caller.userId, params.user_id));

  bind("listMyFollowing", async ({ caller, query }) => {
    const page = pageOf(query);
    const { items, total } = await following.page(caller.userId, page.skip, page.limit);
    return paginated(page, { items: items.map(followView), total });
  });
}

/** Spec §2 Follow. Viewers are those of the last count, as in every list. */
function followView({ follow, user, stream }: Followed<PublicUserDoc>) {
  return {
    id: follow.id,
    follower_id: follow.followerId,
    following_id: follow.followingId,
    created_at: follow.createdAt.toISOString(),
    following: { ...userSummary(user), stream: streamSummary(stream, stream.viewerCount) },
  };
}
