import { newId } from "../../base/ids.ts";
import type { UserDoc } from "../../store/mongo/accounts/users.ts";

/** An account as it is stored, with empty profile fields. */
export function userDoc(change: Partial<UserDoc> = {}): UserDoc {
  const { _id = newId() } = change;
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
