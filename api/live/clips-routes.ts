import { userIdOf, type Viewer, viewerOf } from "../../actors/accounts/tokens/caller.ts";
import { DAY_MS } from "../../base/durations.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Clip } from "../../contract/wire.ts";
import type { ClipList } from "../../store/mongo/live/clip-lists.ts";
import type { ClipDoc } from "../../store/mongo/live/clips.ts";
import type { OperationRequest, Operations } from "../http/bind.ts";
import { mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { createClipViews } from "./clip-views.ts";

const PERIODS = { "24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS, all: null } as const;

export function clipRoutes({ bind, bindPage }: Operations, deps: RouteDeps): void {
  const { clips, clipLikes, viewCounts, clock } = deps;
  const viewsFor = createClipViews(deps);

  /** Throws `not_found`. */
  async function viewFor(doc: ClipDoc, viewer: Viewer): Promise<Clip> {
    const [view] = await viewsFor([doc], viewer, { named: true });
    if (!view) throw new ServiceError("not_found");
    return view;
  }

  /** Call it before anything is done with a clip. Throws `not_found`. */
  async function requireVisible(clip: ClipDoc, viewer: Viewer): Promise<Clip> {
    const [view, maySee] = await Promise.all([viewFor(clip, viewer), clips.maySee(clip, viewer)]);
    if (!maySee) throw new ServiceError("not_found");
    return view;
  }

  function listOf(
    { sort = "trending", period = "all" }: OperationRequest<"listClips">["query"],
    who: Pick<ClipList, "channelUserId" | "viewerId">,
  ): ClipList {
    const length = PERIODS[period];
    const now = clock.now();
    const of = length === null ? null : { since: new Date(now - length), now: new Date(now) };
    return { order: sort, period: of, ...who };
  }

  bindPage("listClips", ({ caller, query }, range) => {
    const viewerId = userIdOf(caller);
    const list = listOf(query, { channelUserId: null, viewerId });
    return mapPageBatch(clips.pageOf(list, range), (docs) => viewsFor(docs, viewerOf(caller)));
  });

  bindPage("listUserClips", ({ caller, user, query }, range) => {
    const viewerId = userIdOf(caller);
    const list = listOf(query, { channelUserId: user._id, viewerId });
    return mapPageBatch(clips.pageOf(list, range), (docs) =>
      viewsFor(docs, viewerOf(caller), { named: true }),
    );
  });

  bind("createClip", async ({ caller, body, idempotencyKey }) => {
    const { stream_id: streamId, start_time: startTime, end_time: endTime, title } = body;
    const { description = "", visibility = "public" } = body;
    const input = { streamId, title, description, visibility, startTime, endTime };
    return viewFor(await clips.create(caller.userId, input, idempotencyKey), caller);
  });

  bind("getClip", ({ caller, clip }) => requireVisible(clip, viewerOf(caller)));

  bind("updateClip", async ({ caller, clip, body }) => {
    await requireVisible(clip, caller);
    const { title, description, visibility } = body;
    const change = {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(visibility === undefined ? {} : { visibility }),
    };
    return viewFor(await clips.change(clip, change, caller.userId), caller);
  });

  bind("deleteClip", ({ clip }) => clips.remove(clip._id));

  bind("likeClip", async ({ caller, clip }) => {
    await requireVisible(clip, caller);
    await clipLikes.like(clip, caller.userId);
    return viewFor(await clips.require(clip._id), caller);
  });

  bind("unlikeClip", async ({ caller, clip }) => {
    await requireVisible(clip, caller);
    await clipLikes.unlike(clip._id, caller.userId);
    return viewFor(await clips.require(clip._id), caller);
  });

  bind("viewClip", async ({ caller, clip, ip }) => {
    await requireVisible(clip, viewerOf(caller));
    await viewCounts.count({ kind: "clip", id: clip._id }, { userId: userIdOf(caller), ip });
  });
}
