import { newId } from "../../store/ids.ts";
import type { ClipDoc } from "../../store/mongo/clips.ts";
import { scoreOfNew } from "../../store/mongo/trending-score.ts";
import type { UserDoc } from "../../store/mongo/users.ts";

/** An account as it is stored, with empty profile fields. */
export function userDoc(change: Partial<UserDoc> = {}): UserDoc {
  const _id = newId();
  const now = new Date();
  return {
    _id,
    username: _id,
    usernameTitle: _id,
    usernameChangedAt: null,
    passwordHash: null,
    email: `${_id}@example.com`,
    emailKey: `${_id}@example.com`,
    emailVerifiedAt: null,
    imageUrl: null,
    bannerUrl: null,
    bio: null,
    isVerified: false,
    isStaff: false,
    status: "active",
    socialLinks: {},
    seoTags: {},
    createdAt: now,
    updatedAt: now,
    ...change,
  };
}

/** A ready public clip, as it is stored. */
export function clipDoc(change: Partial<ClipDoc> = {}): ClipDoc {
  const now = new Date();
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
    status: "ready",
    isListed: true,
    videoUrl: "https://media.example/clip.mp4",
    thumbnailUrl: null,
    durationSeconds: 5,
    viewsCount: 0,
    likesCount: 0,
    score: scoreOfNew(now),
    request: null,
    createdAt: now,
    updatedAt: now,
    ...change,
  };
}
