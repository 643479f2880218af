import type { LiveStreams } from "../../actors/channels/live-streams.ts";
import { withoutTags } from "../../actors/channels/view.ts";
import type { ClipFeature } from "../../actors/clips/clips.ts";
import type { Identity } from "../../actors/identity/identity.ts";
import { userSummary } from "../../actors/identity/views.ts";
import { SEARCHED, type Search } from "../../actors/search/search.ts";
import { createClipViews } from "../clips/views.ts";
import type { Operations } from "../http/bind.ts";

const LIMIT = 20;

type Deps = {
  search: Search;
  liveStreams: Pick<LiveStreams, "cards">;
  clips: Pick<ClipFeature, "likedAmong">;
  identity: Pick<Identity, "usersByIds">;
};

export function searchRoutes({ bind }: Operations, { search, liveStreams, ...deps }: Deps): void {
  const clipViews = createClipViews(deps);

  bind("search", async ({ caller, query }) => {
    const { q, type = "all", limit = LIMIT } = query;
    const viewerId = caller.kind === "user" ? caller.userId : null;
    const found = await search(q, { kinds: type === "all" ? SEARCHED : [type], limit, viewerId });
    const [streams, clips] = await Promise.all([
      liveStreams.cards(found.streams),
      clipViews(found.clips, viewerId),
    ]);
    return {
      streams: streams.map(withoutTags),
      users: found.users.map(userSummary),
      categories: found.categories,
      clips,
    };
  });
}
