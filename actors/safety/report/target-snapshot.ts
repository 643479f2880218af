import type { Db } from "mongodb";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { scheduleIn } from "../../../store/mongo/channels/schedule.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { clipsIn } from "../../../store/mongo/live/clips.ts";
import type { ReportDoc, TargetSnapshotDoc } from "../../../store/mongo/safety/reports.ts";
import { plannedTitles } from "../../channels/public.ts";

/** Of a schedule with a hundred long titles. */
const LONGEST_TEXT = 2_000;

/** What streams and clips have none of; a stream has a picture. */
const WITHOUT_PROFILE = { imageUrl: null, bannerUrl: null, socialLinks: {}, seoTags: {} };

type Target = Pick<ReportDoc, "targetType" | "targetId"> & { subjectUserId: string };

/**
 * Reads what a target shows now, for its report to keep: its owner may change it before staff look. It is read beside the transaction
 * of the report, so a change of that very moment may be in it or not.
 */
export function targetSnapshotsIn(db: Db) {
  const users = usersIn(db);
  const streams = streamsIn(db);
  const clips = clipsIn(db);
  const schedule = scheduleIn(db);

  /** Null for a target that is gone, and for a message, whose text can't be changed and is kept with it. */
  return async (
    { targetType, targetId, subjectUserId }: Target,
    at: Date,
  ): Promise<TargetSnapshotDoc | null> => {
    switch (targetType) {
      case "user": {
        const user = await users.findPublic(targetId);
        if (!user) return null;
        const { usernameTitle: title, bio: text, imageUrl, bannerUrl, socialLinks, seoTags } = user;
        return { title, text, tags: [], imageUrl, bannerUrl, socialLinks, seoTags };
      }
      case "stream": {
        const stream = await streams.find(targetId);
        if (!stream) return null;
        const planned = plannedTitles(await schedule.ofUser(subjectUserId), at);
        const text = planned.length === 0 ? null : planned.join("\n").slice(0, LONGEST_TEXT);
        const { name: title, tags, thumbnailUrl: imageUrl } = stream;
        return { ...WITHOUT_PROFILE, title, text, tags, imageUrl };
      }
      case "clip": {
        const clip = await clips.find(targetId);
        return clip && { title: clip.title, text: clip.description, tags: [], ...WITHOUT_PROFILE };
      }
      case "chat_message":
        return null;
    }
  };
}
