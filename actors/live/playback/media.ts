import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { inRetriedTransaction } from "../../../store/mongo/driver/retried-transaction.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { LAST_TURN } from "../../../store/mongo/host/media-changes.ts";
import {
  type NewVideo,
  type VideoChange,
  type VideoDoc,
  videosIn,
} from "../../../store/mongo/live/videos.ts";
import type { Directory, Viewer } from "../../accounts/public.ts";
import { createHookInbox } from "../../hooks/inbox.ts";
import type { OnAlert } from "../../hooks/metrics.ts";
import type { Broadcasts } from "../live-stream/broadcasts.ts";
import { clipHooks } from "./clip-hooks.ts";
import { createFileVisibility } from "./file-visibility.ts";
import { mediaHooks } from "./media-hooks.ts";

/** A report of the media service in wire format. */
type MediaEvent = { id: string; type: string; created_at: string; data: Record<string, unknown> };

/** Videos per batch of an erasure. */
const BATCH = 100;

/** The media service's reports, and recordings of past broadcasts. */
export function createMedia(deps: {
  mongo: Mongo;
  clock: Clock;
  log: Log;
  broadcasts: Broadcasts;
  streams: Streams;
  directory: Pick<Directory, "usersByIds">;
  onAlert: OnAlert;
}) {
  const { db, client } = deps.mongo;
  const videos = videosIn(db);
  const now = () => new Date(deps.clock.now());
  const addVideo = (video: NewVideo) => inRetriedTransaction(client, (session) => videos.add(video, session));
  const removeVideo = (video: VideoDoc, turn?: number) =>
    inTransaction(client, (session) => videos.remove(video, { at: now(), turn }, session));
  const log = deps.log.child({ area: "media" });
  const files = createFileVisibility(deps);
  const handlers = {
    ...mediaHooks({ ...deps, files, addVideo }),
    ...clipHooks({ ...deps, files }),
  };
  const hooks = createHookInbox("media", handlers, { ...deps, log });
  return {
    hooks,

    /** Takes a report whose signature has been verified. Throws `validation_failed`. */
    report: (hookId: string, { id, type, created_at, data }: MediaEvent) =>
      hooks.receive(hookId, type, { id, createdAt: new Date(created_at), data }),

    /** A channel's recorded broadcasts, newest first: the public ones, or all for the owner. */
    videosOf: (userId: string, viewerId: string | null, range: Range) =>
      videos.pageOf(userId, viewerId === userId, range),

    /** Throws `not_found`. */
    async requireVideo(id: string): Promise<VideoDoc> {
      const found = await videos.find(id);
      if (!found) throw new ServiceError("not_found");
      return found;
    },
    /** Throws `not_found`. */
    async changeVideo(id: string, change: VideoChange): Promise<VideoDoc> {
      const changed = await inTransaction(client, (session) => videos.change(id, change, now(), session));
      if (!changed) throw new ServiceError("not_found");
      return changed;
    },
    /** Removes a video for good: its recording doesn't become a video again. Throws `not_found`. */
    async removeVideo(video: VideoDoc): Promise<void> {
      if (!(await removeVideo(video))) throw new ServiceError("not_found");
    },

    /** Removes the videos of an account that is being erased. Idempotent. */
    async forgetAll(userId: string): Promise<void> {
      for (;;) {
        const some = await videos.someOf(userId, BATCH);
        for (const video of some) await removeVideo(video, LAST_TURN);
        if (some.length < BATCH) return;
      }
    },
  };
}

/** What a path names by {video_id}. What is private isn't there for others. */
export async function videoResource(
  {
    media,
    staff,
  }: {
    media: { requireVideo(id: string): Promise<VideoDoc> };
    staff: { seesAsStaff(viewer: Viewer): Promise<boolean> };
  },
  id: string,
  viewer: Viewer,
) {
  const video = await media.requireVideo(id);
  const isOthers = video.visibility === "private" && video.userId !== viewer?.userId;
  if (isOthers && !(await staff.seesAsStaff(viewer))) throw new ServiceError("not_found");
  return { thing: video, channel: { _id: video.streamId, userId: video.userId } };
}
