import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import { videosIn } from "../../store/mongo/videos.ts";
import { createHookIntake } from "../hooks/intake.ts";
import type { OnAlert } from "../hooks/metrics.ts";
import type { Broadcasts } from "../live-stream/broadcasts.ts";
import { mediaHooks } from "./media-hooks.ts";

/** A report of the media service, as it is written on the wire. */
export type MediaEvent = { id: string; type: string; created_at: string; data: Record<string, unknown> };

export type Media = ReturnType<typeof createMedia>;

/** What comes from the media service, and what it made of past broadcasts. */
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
  const hooks = createHookIntake("media", mediaHooks({ ...deps, videos }), { ...deps, log });
  return {
    hooks,

    /** A report whose signature was verified. Throws `validation_failed`. */
    report: (hookId: string, { id, type, created_at, data }: MediaEvent) =>
      hooks.receive(hookId, type, { id, createdAt: new Date(created_at), data }),

    /** A channel's recorded broadcasts that anybody may see, newest first. */
    videosOf: videos.publicOf,
  };
}
