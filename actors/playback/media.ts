import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import { type VideoChange, type VideoDoc, videosIn } from "../../store/mongo/videos.ts";
import { createHookInbox } from "../hooks/inbox.ts";
import type { OnAlert } from "../hooks/metrics.ts";
import type { Broadcasts } from "../live-stream/broadcasts.ts";
import { clipHooks } from "./clip-hooks.ts";
import { mediaHooks } from "./media-hooks.ts";

/** A report of the media service in wire format. */
type MediaEvent = { id: string; type: string; created_at: string; data: Record<string, unknown> };

/** The media service's reports, and recordings of past broadcasts. */
export function createMedia(deps: {
  mongo: Mongo;
  clock: Clock;
  log: Log;
  broadcasts: Broadcasts;
  streams: Streams;
  onAlert: OnAlert;
}) {
  const videos = videosIn(deps.mongo.db);
  const log = deps.log.child({ area: "media" });
  const handlers = {
    ...mediaHooks({ ...deps, videos }),
    ...clipHooks(deps),
  };
  const hooks = createHookInbox("media", handlers, { ...deps, log });
  return {
    hooks,

    /** Takes a report whose signature has been verified. Throws `validation_failed`. */
    report: (hookId: string, { id, type, created_at, data }: MediaEvent) =>
      hooks.receive(hookId, type, { id, createdAt: new Date(created_at), data }),

    /** A channel's recorded broadcasts, newest first: the public ones, or all for the owner. */
    videosOf: (userId: string, viewerId: string | null, skip: number, limit: number) =>
      videos.pageOf(userId, viewerId === userId, skip, limit),

    /** Throws `not_found`. */
    async requireVideo(id: string): Promise<VideoDoc> {
      const found = await videos.find(id);
      if (!found) throw new ServiceError("not_found");
      return found;
    },
    /** Throws `not_found`. */
    async changeVideo(id: string, change: VideoChange): Promise<VideoDoc> {
      const changed = await videos.change(id, change);
      if (!changed) throw new ServiceError("not_found");
      return changed;
    },
    /** Removes a video for good: its recording doesn't become a video again. Throws `not_found`. */
    async removeVideo(video: VideoDoc): Promise<void> {
      const isRemoved = await videos.remove(video, new Date(deps.clock.now()));
      if (!isRemoved) throw new ServiceError("not_found");
    },
  };
}
