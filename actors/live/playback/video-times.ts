import { broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import type { VideoDoc } from "../../../store/mongo/live/videos.ts";
import type { FeatureDeps } from "../../features/deps.ts";

/** How much longer a video may be than its duration in whole seconds. */
const ROUNDED_OFF_MS = 1_000;

/** When videos were recorded: the time of the chat beside them. */
export function createVideoTimes({ mongo }: Pick<FeatureDeps, "mongo">) {
  const broadcasts = broadcastsIn(mongo.db);

  /** Without the media service's word, as if it had reported the recording at its end. */
  async function startOf({ streamId, startedAt, publishedAt, durationSeconds }: VideoDoc): Promise<Date> {
    if (startedAt) return startedAt;
    const start = new Date(+publishedAt - durationSeconds * 1_000);
    const running = await broadcasts.runningIn(streamId, start, publishedAt);
    if (running) return running.startedAt > start ? running.startedAt : start;
    // It was reported later than that.
    return (await broadcasts.lastBefore(streamId, publishedAt))?.startedAt ?? start;
  }

  return {
    /** From the first picture to after the last one. */
    async of(video: VideoDoc): Promise<{ from: Date; to: Date }> {
      const from = await startOf(video);
      return { from, to: new Date(+from + video.durationSeconds * 1_000 + ROUNDED_OFF_MS) };
    },
  };
}
