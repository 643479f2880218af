import type {
  ChannelProfile,
  OwnEmail,
  PublicProfile,
  Session,
  StreamSummary,
  User,
  UserSummary,
} from "../../../contract/wire.ts";
import type { SessionDoc } from "../../../store/mongo/accounts/sessions.ts";
import type { UserDoc, UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import type { OriginOf } from "./origins.ts";

export function userSummary(
  user: Pick<UserDoc, "_id" | "username" | "usernameTitle" | "imageUrl">,
): UserSummary {
  return {
    id: user._id,
    username: user.username,
    username_title: user.usernameTitle,
    image_url: user.imageUrl,
  };
}

/** For an account that has been erased meanwhile, the id with a placeholder name. */
export const summaryOf = (id: string, user: UserWithoutSecrets | null | undefined): UserSummary =>
  user ? userSummary(user) : { id, username: "deleted", username_title: null, image_url: null };

/** `email_verified` is omitted until the address is verified. */
const addressOf = ({ email, emailVerifiedAt }: UserDoc) => ({
  email,
  ...(emailVerifiedAt ? { email_verified: emailVerifiedAt.toISOString() } : {}),
});

/** The account as its owner sees it, with the e-mail. */
export function ownUserView(user: UserDoc): User {
  return {
    ...userSummary(user),
    ...addressOf(user),
    banner_url: user.bannerUrl,
    bio: user.bio,
    is_verified: user.isVerified,
    status: user.status,
    two_factor_enabled: user.twoFactorEnabledAt != null,
    is_staff: user.isStaff,
    social_links: user.socialLinks,
    seo_tags: user.seoTags,
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
  };
}

export const ownEmailView = (user: UserDoc, pending: string | null): OwnEmail => ({
  ...addressOf(user),
  pending_email: pending,
});

/** The part of a profile that is the same for every caller. */
export function channelProfile(user: UserWithoutSecrets, followerCount: number): ChannelProfile {
  return {
    ...userSummary(user),
    banner_url: user.bannerUrl,
    bio: user.bio,
    is_verified: user.isVerified,
    social_links: user.socialLinks,
    ...(Object.keys(user.seoTags).length === 0 ? {} : { seo_tags: user.seoTags }),
    follower_count: followerCount,
  };
}

export function publicProfile(
  user: UserWithoutSecrets,
  seen: { followerCount: number; isFollowing: boolean; stream: StreamSummary },
): PublicProfile {
  return {
    ...channelProfile(user, seen.followerCount),
    is_following: seen.isFollowing,
    stream: seen.stream,
  };
}

/** A session as its owner sees it; `currentId` is the caller's. */
export function sessionView(session: SessionDoc, currentId: string, originOf: OriginOf): Session {
  const origin = originOf(session.ip);
  return {
    id: session._id,
    device_id: session._id,
    user_agent: session.userAgent,
    ip: session.ip,
    ...(origin ? { origin } : {}),
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    is_current: session._id === currentId,
  };
}
