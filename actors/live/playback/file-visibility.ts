import type { Clock } from "../../../base/clock.ts";
import type { StreamDoc, Streams } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { type MediaThing, mediaChangesIn } from "../../../store/mongo/host/media-changes.ts";
import { clipsIn } from "../../../store/mongo/live/clips.ts";
import { videosIn } from "../../../store/mongo/live/videos.ts";
import type { Directory } from "../../accounts/public.ts";
import type { FilesState } from "./media-service.ts";

type Deps = {
  mongo: Mongo;
  streams: Pick<Streams, "find" | "clearLiveThumbnail">;
  directory: Pick<Directory, "usersByIds">;
  clock: Clock;
};

export type FileVisibility = ReturnType<typeof createFileVisibility>;

/** Who may be shown the media service's files. What belongs to an account that isn't active is private. */
export function createFileVisibility({ mongo, streams, directory, clock }: Deps) {
  const changes = mediaChangesIn(mongo.db);
  const clips = clipsIn(mongo.db);
  const videos = videosIn(mongo.db);

  async function areActive(userIds: string[]): Promise<boolean> {
    const users = await directory.usersByIds(userIds);
    return userIds.every((id) => users.get(id)?.status === "active");
  }

  /** Null for what was removed. */
  async function visibilityOf({ kind, id }: MediaThing): Promise<FilesState["visibility"]> {
    const [clip, video] =
      kind === "clip" ? [await clips.find(id), null] : [null, await videos.ofRecording(id)];
    const found = clip ?? video;
    if (!found) return null;
    const owners = clip ? [clip.userId, clip.channelUserId] : [found.userId];
    return (await areActive(owners)) ? found.visibility : "private";
  }

  /** Unless the stream's account is active. When the account is restored, its stream gets new ones. */
  async function removePictures({ _id: id, userId }: StreamDoc): Promise<void> {
    if (await areActive([userId])) return;
    const at = new Date(clock.now());
    await streams.clearLiveThumbnail(id, at);
    await changes.addNow({ kind: "stream", id }, at);
  }

  return {
    visibilityOf,
    removePictures,
    /** Whether this recording was a video that was deleted in the last 30 days. */
    wasDeleted: videos.wasDeleted,

    /**
     * Has files hidden or deleted that the media service has just reported, unless they are public, as which it makes them. Call it
     * after the report is committed, and apply the report again if it rejects: then an account that is banned at the same moment
     * either is seen as banned here, or its ban sees what was reported. In the report's transaction, which reads what was before
     * it, both could miss each other.
     */
    async reported({ kind, id }: MediaThing | { kind: "stream"; id: string }): Promise<void> {
      if (kind === "stream") {
        const stream = await streams.find(id);
        return stream ? removePictures(stream) : undefined;
      }
      const thing = { kind, id };
      if ((await visibilityOf(thing)) !== "public") await changes.addNow(thing, new Date(clock.now()));
    },
  };
}
