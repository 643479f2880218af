import { userIdOf } from "../../actors/accounts/tokens/caller.ts";
import { withoutTags } from "../../actors/channels/view.ts";
import { categoryView } from "../../actors/discovery/category-catalogue.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage, mapPageBatch, sliceOf } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function discoveryRoutes(
  { bind, bindPage }: Operations,
  { home, following, recommendations, liveStreams, catalogue }: RouteDeps,
): void {
  bind("getHome", async ({ caller }) => {
    const page = await home.of(userIdOf(caller));
    const [featured, followedLive, recommended] = await Promise.all([
      liveStreams.cards(page.featured),
      page.followedLive && liveStreams.cards(page.followedLive),
      liveStreams.cards(page.recommended),
    ]);
    return {
      featured: featured.map(withoutTags),
      ...(followedLive ? { followed_live: followedLive.map(withoutTags) } : {}),
      top_categories: page.topCategories.map(categoryView),
      recommended: recommended.map(withoutTags),
    };
  });

  bindPage("listFollowedStreams", ({ caller }, range) =>
    mapPageBatch(following.page(caller.userId, "viewers", range), (followed) =>
      liveStreams.cards(followed.map(({ stream }) => stream)),
    ),
  );

  bindPage("listRecommendedStreams", async ({ caller }, range) => {
    const { items, total } = sliceOf(await recommendations.of(userIdOf(caller)), range);
    return { items: await liveStreams.cards(items), total };
  });

  bindPage("listCategories", (_request, range) => mapPage(catalogue.page(range), categoryView));

  bind("getCategory", async ({ params }) => categoryView(await catalogue.require(params.category_id)));

  bindPage("listCategoryStreams", async ({ params, query }, range) => {
    const { _id } = await catalogue.require(params.category_id);
    const filter = { categoryIds: await catalogue.idsIn(_id) };
    return liveStreams.page({ filter, order: query.sort ?? "recent", ...range });
  });
}
