import Type, { type Static } from "typebox";
import type { Clock } from "../../../base/clock.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { type ClipMade, clipProductionIn } from "../../../store/mongo/live/clip-production.ts";
import { notificationFactsIn } from "../../../store/mongo/notifications/notification-facts.ts";
import { type HookHandlers, hookHandler } from "../../hooks/inbox.ts";
import type { FileVisibility } from "./file-visibility.ts";
import { filePath, open, url } from "./hook-data.ts";

const clip_id = Type.String({ minLength: 1, maxLength: 64 });
const MAX_SECONDS = 120;
const common = {
  clip_id,
  duration: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: MAX_SECONDS })),
};
/** Files, for which each answer gets signed addresses. */
const withFiles = open({
  ...common,
  video_path: filePath,
  thumbnail_path: Type.Optional(Type.Union([filePath, Type.Null()])),
});
/** Permanent addresses, from media services that have no files for the edge to check. */
const withAddresses = open({
  ...common,
  video_path: Type.Optional(Type.Never()),
  video_url: url,
  thumbnail_url: Type.Optional(Type.Union([url, Type.Null()])),
});
type Ready = Static<typeof withFiles> | Static<typeof withAddresses>;

function madeOf(data: Ready): ClipMade {
  const { duration: durationSeconds = null } = data;
  if (data.video_path === undefined) {
    const { video_url: videoUrl, thumbnail_url: thumbnailUrl = null } = data;
    return { videoUrl, thumbnailUrl, durationSeconds };
  }
  const { video_path: video, thumbnail_path: thumbnail = null } = data;
  return { files: { video, thumbnail }, videoUrl: null, thumbnailUrl: null, durationSeconds };
}

/**
 * The media service's reports about requested clips. The first report about a clip is final: later or repeated ones change
 * nothing, nor do reports about a clip that was deleted meanwhile. Only files take the place of addresses that were reported
 * before, so that older clips can be moved to files.
 */
export function clipHooks({
  mongo,
  clock,
  files,
}: {
  mongo: Mongo;
  clock: Clock;
  files: Pick<FileVisibility, "reported">;
}): HookHandlers {
  const clips = clipProductionIn(mongo.db);
  const facts = notificationFactsIn(mongo.db);
  const now = () => new Date(clock.now());

  /** Notifies the channel's owner, unless they made the clip themselves. */
  const made = (clipId: string, made: ClipMade) =>
    inTransaction(mongo.client, async (session) => {
      const at = now();
      if (made.files && (await clips.movedToFiles(clipId, made.files, at, session))) return;
      const clip = await clips.made(clipId, made, at, session);
      if (!clip || clip.userId === clip.channelUserId) return;
      const { channelUserId: userId, userId: creatorId } = clip;
      await facts.insert([{ kind: "clip", ref: clipId, userId, at, data: { clipId, creatorId } }], session);
    });

  return {
    "clip.ready": hookHandler({
      data: Type.Union([withFiles, withAddresses]),
      subject: () => null,
      async apply({ data }) {
        const { clip_id: id } = data;
        await made(id, madeOf(data));
        await files.reported({ kind: "clip", id });
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
