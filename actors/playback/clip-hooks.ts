import Type from "typebox";
import type { Clock } from "../../store/clock.ts";
import { type ClipMade, clipsIn } from "../../store/mongo/clips.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { notificationFactsIn } from "../../store/mongo/notification-facts.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { type HookHandlers, hookHandler } from "../hooks/inbox.ts";
import { open, url } from "./hook-data.ts";

const clip_id = Type.String({ minLength: 1, maxLength: 64 });
const MAX_SECONDS = 120;

/**
 * The media service's reports about requested clips. The first report about a clip is final: later or repeated ones change
 * nothing, nor do reports about a clip that was deleted meanwhile.
 */
export function clipHooks({ mongo, clock }: { mongo: Mongo; clock: Clock }): HookHandlers {
  const clips = clipsIn(mongo.db);
  const facts = notificationFactsIn(mongo.db);
  const now = () => new Date(clock.now());

  /** Notifies the channel's owner, unless they made the clip themselves. */
  const made = (clipId: string, made: ClipMade) =>
    inTransaction(mongo.client, async (session) => {
      const at = now();
      const clip = await clips.made(clipId, made, at, session);
      if (!clip || clip.userId === clip.channelUserId) return;
      const { channelUserId: userId, userId: creatorId } = clip;
      await facts.insert([{ kind: "clip", ref: clipId, userId, at, data: { clipId, creatorId } }], session);
    });

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
        await made(data.clip_id, { videoUrl, thumbnailUrl, durationSeconds: duration });
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
