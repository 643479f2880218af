import { userSummary } from "../../actors/accounts/profile/views.ts";
import { userIdOf, viewerOf } from "../../actors/accounts/tokens/caller.ts";
import { withoutTags } from "../../actors/channels/view.ts";
import { SEARCH_KINDS } from "../../actors/discovery/search/search.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { createClipViews } from "../live/clip-views.ts";

const LIMIT = 20;
/** Channels that are looked at for those that are live, and how many are suggested of these. */
const CHANNELS_FOUND = 24;
const CHANNELS_SUGGESTED = 8;
const CATEGORIES_SUGGESTED = 4;

export function searchRoutes(
  { bind }: Operations,
  { search, liveStreams, streams, ...deps }: RouteDeps,
): void {
  const clipViews = createClipViews(deps);

  bind("search", async ({ caller, query }) => {
    const { q, type = "all", limit = LIMIT } = query;
    const viewerId = userIdOf(caller);
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

  bind("listSearchSuggestions", async ({ caller, query: { q } }) => {
    const viewerId = userIdOf(caller);
    const found = await search(q, { kinds: ["users", "categories"], limit: CHANNELS_FOUND, viewerId });
    const live = await streams.liveAmong(found.users.map(({ _id }) => _id));
    const channels = found.users.map((user) => ({ ...userSummary(user), is_live: live.has(user._id) }));
    // The best match may be the name as a whole, of a channel that is offline.
    const [best, others] = [channels.slice(0, 1), channels.slice(1)];
    others.sort((one, other) => Number(other.is_live) - Number(one.is_live));
    return {
      channels: [...best, ...others].slice(0, CHANNELS_SUGGESTED),
      categories: found.categories.slice(0, CATEGORIES_SUGGESTED),
    };
  });
}
