import { newId } from "../../base/ids.ts";
import type { ClipDoc } from "../../store/mongo/live/clips.ts";
import { scoreOfNew } from "../../store/mongo/live/trending-score.ts";

/** A ready public clip, as it is stored. */
export function clipDoc(more: Partial<ClipDoc> = {}): ClipDoc {
  const { createdAt = new Date() } = more;
  return {
    _id: newId(),
    streamId: newId(),
    broadcastId: newId(),
    channelUserId: newId(),
    userId: newId(),
    title: "A clip",
    description: "",
    startTime: 0,
    endTime: 5,
    visibility: "public",
    isMature: false,
    status: "ready",
    isListed: true,
    videoUrl: "https://media.example/clip.mp4",
    thumbnailUrl: null,
    durationSeconds: 5,
    viewsCount: 0,
    likesCount: 0,
    score: scoreOfNew(createdAt),
    request: null,
    createdAt,
    updatedAt: createdAt,
    ...more,
  };
}
