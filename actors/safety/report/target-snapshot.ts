import type { Db } from "mongodb";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { clipsIn } from "../../../store/mongo/live/clips.ts";
import type { ReportDoc, TargetSnapshotDoc } from "../../../store/mongo/safety/reports.ts";

/** Reads what a target shows now, for its report to keep: its owner may change it before staff look. */
export function targetSnapshotsIn(db: Db) {
  const users = usersIn(db);
  const streams = streamsIn(db);
  const clips = clipsIn(db);

  /** Null for a target that is gone, and for a message, whose text can't be changed and is kept with it. */
  return async ({
    targetType,
    targetId,
  }: Pick<ReportDoc, "targetType" | "targetId">): Promise<TargetSnapshotDoc | null> => {
    switch (targetType) {
      case "user": {
        const user = await users.findPublic(targetId);
        return user && { title: user.usernameTitle, text: user.bio, tags: [], imageUrl: user.imageUrl };
      }
      case "stream": {
        const stream = await streams.find(targetId);
        return stream && { title: stream.name, text: null, tags: stream.tags, imageUrl: null };
      }
      case "clip": {
        const clip = await clips.find(targetId);
        return clip && { title: clip.title, text: clip.description, tags: [], imageUrl: null };
      }
      case "chat_message":
        return null;
    }
  };
}
