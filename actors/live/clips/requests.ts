import type { Clock } from "../../../base/clock.ts";
import { DAY_MS, MINUTE_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { clipProductionIn } from "../../../store/mongo/live/clip-production.ts";
import type { ClipDoc } from "../../../store/mongo/live/clips.ts";
import type { OnAlert } from "../../hooks/metrics.ts";
import { exponentialBackoff } from "../../host/exponential-backoff.ts";
import { type MediaService, RequestRefused } from "../playback/media-service.ts";

/** Clips per sweep, requested concurrently; more are left to the next. */
const BATCH = 20;
const pauseAfter = exponentialBackoff(1_000, MINUTE_MS);
/** With the back-off between them, tries span about an hour; after that nobody waits for the clip any more. */
const MAX_FAILURES = 65;
/** An accepted request without a report is given up after this time. */
const ANSWERED_WITHIN_MS = DAY_MS;

type Deps = {
  mongo: Mongo;
  streams: Pick<Streams, "find">;
  clock: Clock;
  log: Log;
  onAlert: OnAlert;
  /** Null: none is configured. */
  mediaService: MediaService | null;
};

export type ClipRequests = ReturnType<typeof createClipRequests>;

/** Requests clips from the media service, with retries until it accepts each. A permanent failure marks the clip as failed. */
export function createClipRequests({ mongo, streams, clock, log, onAlert, mediaService }: Deps) {
  const clips = clipProductionIn(mongo.db);
  const broadcasts = broadcastsIn(mongo.db);
  const outage = createOutageLog(log, "media service: clip request");
  const now = () => new Date(clock.now());
  const after = (ms: number) => new Date(clock.now() + ms);

  async function giveUp({ _id }: ClipDoc, reason: string, err?: unknown): Promise<void> {
    log.error({ err, clip: _id, reason }, "a clip wasn't made, and isn't requested any more");
    onAlert("media", "clip_given_up");
    await clips.failed(_id, now());
  }

  async function ask(clip: ClipDoc): Promise<void> {
    const { request } = clip;
    if (!request) return;
    if (request.isTaken) return giveUp(clip, "the media service never reported about it");
    try {
      const [stream, broadcast] = await Promise.all([
        streams.find(clip.streamId),
        broadcasts.find(clip.broadcastId),
      ]);
      if (!stream || !broadcast) return await giveUp(clip, "its broadcast is gone");
      const { mediaStreamId } = stream;
      // Clips from before it was removed from the configuration fail like those of a service that is away.
      if (!mediaService) throw new Error("no media service is configured");
      await mediaService.requestClip(clip, { mediaStreamId, broadcastStartedAt: broadcast.startedAt });
    } catch (err) {
      if (err instanceof RequestRefused) return giveUp(clip, "the media service refuses it", err);
      const failures = request.failures + 1;
      if (failures >= MAX_FAILURES) return giveUp(clip, "the media service can't be reached", err);
      outage.failed(err, { clip: clip._id, attempts: failures });
      const dueAt = after(pauseAfter(request.failures));
      return clips.later(clip._id, { isTaken: false, failures, dueAt });
    }
    outage.succeeded();
    await clips.later(clip._id, { isTaken: true, failures: 0, dueAt: after(ANSWERED_WITHIN_MS) });
  }

  return {
    /** `isSure`: false when another process may be sweeping. */
    async sweep(isSure: () => boolean): Promise<void> {
      if (!isSure()) return;
      const due = await clips.due(now(), BATCH);
      await Promise.all(due.map(ask));
    },
  };
}
