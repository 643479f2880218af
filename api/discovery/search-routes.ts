import { userSummary } from "../../actors/accounts/profile/views.ts";
import { viewerOf } from "../../actors/accounts/tokens/caller.ts";
import { withoutTags } from "../../actors/channels/view.ts";
import { SEARCH_KINDS } from "../../actors/discovery/search/search.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { createClipViews } from "../live/clip-views.ts";

const LIMIT = 20;

export function searchRoutes({ bind }: Operations, { search, liveStreams, ...deps }: RouteDeps): void {
  const clipViews = createClipViews(deps);

  bind("search", async ({ caller, query }) => {
    const { q, type = "all", limit = LIMIT } = query;
    const viewerId = caller.kind === "user" ? caller.userId : null;
    const found = await search(q, { kinds: type === "all" ? SEARCH_KINDS : [type], limit, viewerId });
    const [streams, clips] = await Promise.all([
      liveStreams.cards(found.streams),
      clipViews(found.clips, viewerOf(caller)),
    ]);
    return {
      streams: streams.map(withoutTags),
      users: found.users.map(userSummary),
      categories: found.categories,
      clips,
    };
  });
}
