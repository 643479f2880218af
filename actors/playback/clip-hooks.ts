import Type from "typebox";
import type { Clock } from "../../store/clock.ts";
import type { Clips } from "../../store/mongo/clips.ts";
import { type HookHandlers, hookHandler } from "../hooks/intake.ts";
import { open, url } from "./hook-data.ts";

const clip_id = Type.String({ minLength: 1, maxLength: 64 });
const MAX_SECONDS = 120;

/**
 * What the media service made of the clips that it was asked for. The first report of a clip is the last: one that comes
 * later or again changes nothing, nor does one of a clip that was deleted meanwhile.
 */
export function clipHooks({
  clips,
  clock,
}: {
  clips: Pick<Clips, "made" | "failed">;
  clock: Clock;
}): HookHandlers {
  const now = () => new Date(clock.now());
  return {
    "clip.ready": hookHandler({
      data: open({
        clip_id,
        video_url: url,
        thumbnail_url: Type.Optional(Type.Union([url, Type.Null()])),
        duration: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: MAX_SECONDS })),
      }),
      subject: () => null,
      async apply({ data }) {
        const { video_url: videoUrl, thumbnail_url: thumbnailUrl = null, duration = null } = data;
        await clips.made(data.clip_id, { videoUrl, thumbnailUrl, durationSeconds: duration }, now());
        return "applied";
      },
    }),
    "clip.failed": hookHandler({
      data: open({ clip_id }),
      subject: () => null,
      async apply({ data }) {
        await clips.failed(data.clip_id, now());
        return "applied";
      },
    }),
  };
}
