import type { StreamChange } from "../../actors/channels/channels.ts";
import type { StreamUpdate } from "../../contract/wire.ts";
import type { LiveFilter } from "../../store/mongo/live/listed-streams.ts";
import type { OperationRequest, Operations } from "../http/bind.ts";
import { mapPage, mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { type PublicState, stateChangeView } from "../http/state-change.ts";
import { activityView, userIdsIn } from "./activity-views.ts";

export function streamRoutes(
  { bind, bindPage }: Operations,
  { channels, broadcasts, liveStreams, catalogue, activityFeed, timeline, directory }: RouteDeps,
): void {
  bindPage("listStreams", async ({ query }, range) => {
    const { category_id: categoryId } = query;
    const isIn = categoryId === undefined ? {} : { categoryIds: await catalogue.idsIn(categoryId) };
    const filter = { ...filterOf(query), ...isIn };
    return liveStreams.page({ filter, order: query.sort ?? "recent", ...range });
  });

  bind("getMyStream", async ({ caller }) => channels.ownView(await channels.requireOf(caller.userId)));

  bind("updateMyStream", async ({ caller, body }) =>
    channels.ownView(await channels.update(caller.userId, changeOf(body))),
  );

  bind("rotateStreamKey", async ({ caller, origin }) =>
    channels.ownView(await channels.rotateKey(caller.userId, origin)),
  );

  bind("getStream", ({ stream }) => channels.view(stream));

  bindPage("getStreamHistory", ({ stream }, range) =>
    mapPage(broadcasts.history(stream._id, range), stateChangeView(stateOf)),
  );

  bindPage("listStreamActivity", ({ stream, query }, range) =>
    mapPageBatch(activityFeed.page(stream, query.kind ?? null, range), async (found) => {
      const users = await directory.usersByIds(found.flatMap(userIdsIn));
      return found.map((one) => activityView(one, users));
    }),
  );

  bind("getStreamTimeline", ({ stream }) => timeline.of(stream));

  bind("endBroadcast", async ({ stream, caller }) => {
    await broadcasts.end(stream, caller.userId);
    return channels.view(await channels.require(stream._id));
  });

  bind("getUserStream", async ({ user }) => channels.view(await channels.requireOf(user._id)));
}

type StreamState = PublicState<"offline" | "live", "starting" | "interrupted">;

/** A stream is live or it isn't (docs/interface.md#3-states); the machine's states in between are a detail of the status. */
const STATES: Readonly<Record<string, StreamState>> = {
  offline: { status: "offline", detail: null },
  starting: { status: "offline", detail: "starting" },
  live: { status: "live", detail: null },
  interrupted: { status: "live", detail: "interrupted" },
};

function stateOf(path: string): StreamState {
  const state = STATES[path];
  if (!state) throw new Error(`a stream has no public state for ${path}`);
  return state;
}

function filterOf({ language, tag, is_mature }: OperationRequest<"listStreams">["query"]): LiveFilter {
  return {
    ...(language === undefined ? {} : { language }),
    ...(tag === undefined ? {} : { tag }),
    ...(is_mature === undefined ? {} : { isMature: is_mature }),
  };
}

function changeOf(body: StreamUpdate): StreamChange {
  const { name, thumbnail_url, category_id, language, is_mature, tags, ingress_pull_url } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(thumbnail_url === undefined ? {} : { thumbnailUrl: thumbnail_url }),
    ...(category_id === undefined ? {} : { categoryId: category_id }),
    ...(language === undefined ? {} : { language }),
    ...(is_mature === undefined ? {} : { isMature: is_mature }),
    ...(tags === undefined ? {} : { tags }),
    ...(ingress_pull_url === undefined ? {} : { ingressPullUrl: ingress_pull_url }),
  };
}
