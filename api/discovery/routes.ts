import { userIdOf } from "../../actors/accounts/tokens/caller.ts";
import { withoutTags } from "../../actors/channels/view.ts";
import { categoryView } from "../../actors/discovery/category-catalogue.ts";
import type { Recommendation } from "../../actors/discovery/recommendations.ts";
import type { StreamCard } from "../../contract/wire.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage, mapPageBatch, sliceOf } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function discoveryRoutes(
  { bind, bindPage }: Operations,
  { home, following, recommendations, liveStreams, catalogue }: RouteDeps,
): void {
  async function recommendedCards(recommended: readonly Recommendation[]): Promise<StreamCard[]> {
    const reasons = new Map(recommended.map(({ _id, reason }) => [_id, reason]));
    const cards = await liveStreams.cards(recommended);
    return cards.map((card) => {
      const reason = reasons.get(card.id) ?? null;
      return reason === null ? card : { ...card, recommended_for: reason };
    });
  }

  bind("getHome", async ({ caller }) => {
    const page = await home.of(userIdOf(caller));
    const [featured, followedLive, recommended] = await Promise.all([
      liveStreams.cards(page.featured),
      page.followedLive && liveStreams.cards(page.followedLive),
      recommendedCards(page.recommended),
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
    return { items: await recommendedCards(items), total };
  });

  bindPage("listCategories", (_request, range) => mapPage(catalogue.page(range), categoryView));

  bind("getCategory", async ({ params }) => categoryView(await catalogue.require(params.category_id)));

  bindPage("listCategoryStreams", async ({ params, query }, range) => {
    const { _id } = await catalogue.require(params.category_id);
    const filter = { categoryIds: await catalogue.idsIn(_id) };
    return liveStreams.page({ filter, order: query.sort ?? "recent", ...range });
  });
}
