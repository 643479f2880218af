import type { Channels, StreamChange } from "../../actors/channels/channels.ts";
import type { Broadcasts } from "../../actors/live-stream/broadcasts.ts";
import type { StreamCard, StreamUpdate } from "../../specs/contract/wire.ts";
import type { LiveFilter, LivePage } from "../../store/mongo/listed-streams.ts";
import type { OperationRequest, Operations } from "../http/bind.ts";
import { type PageRequest, pageOf, paginated } from "../http/pagination.ts";
import { type PublicState, stateChangeView } from "../http/state-change.ts";

export type StreamRouteDeps = {
  channels: Channels;
  broadcasts: Pick<Broadcasts, "history">;
  liveStreams: {
    page(page: LivePage): Promise<{ items: StreamCard[]; total: number }>;
  };
  /** Throws `not_found`. */
  identity: { requireByUsername(username: string): Promise<{ _id: string }> };
};

export function streamRoutes(
  { bind }: Operations,
  { channels, broadcasts, liveStreams, identity }: StreamRouteDeps,
): void {
  bind("listStreams", async ({ query }) => {
    const page: PageRequest = pageOf(query);
    const { skip, limit } = page;
    const order = query.sort ?? "recent";
    return paginated(page, await liveStreams.page({ filter: filterOf(query), order, skip, limit }));
  });

  bind("getMyStream", async ({ caller }) => channels.ownView(await channels.requireOf(caller.userId)));

  bind("updateMyStream", async ({ caller, body }) =>
    channels.ownView(await channels.update(caller.userId, changeOf(body))),
  );

  bind("rotateStreamKey", async ({ caller, origin }) =>
    channels.ownView(await channels.rotateKey(caller.userId, origin)),
  );

  bind("getStream", ({ stream }) => channels.view(stream));

  bind("getStreamHistory", async ({ stream, query }) => {
    const page = pageOf(query);
    const { items, total } = await broadcasts.history(stream._id, page.skip, page.limit);
    return paginated(page, { items: items.map((one) => stateChangeView(one, stateOf)), total });
  });

  bind("getUserStream", async ({ params }) => {
    const user = await identity.requireByUsername(params.username);
    return channels.view(await channels.requireOf(user._id));
  });
}

type StreamState = PublicState<"offline" | "live", "starting" | "interrupted">;

/** A stream is live or it isn't (spec §3); what the machine does in between is a step inside. */
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

function filterOf({
  category_id,
  language,
  tag,
  is_mature,
}: OperationRequest<"listStreams">["query"]): LiveFilter {
  return {
    ...(category_id === undefined ? {} : { categoryId: category_id }),
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
