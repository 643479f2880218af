import type { PublicProfile, UserUpdate } from "../../../contract/wire.ts";

/** Fields that aren't profile content, or that are part of the account's identity. */
type Other =
  | ("id" | "username" | "username_title" | "email" | "password" | "is_verified")
  | ("follower_count" | "is_following" | "stream");

type InCamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<InCamelCase<Tail>>}`
  : Name;

type ProfileField = InCamelCase<Exclude<keyof PublicProfile | keyof UserUpdate, Other>>;

/** The profile fields that an owner fills in, empty. All are exported, and cleared when staff remove a profile's content. */
export const EMPTY_PROFILE = {
  bio: null,
  imageUrl: null,
  bannerUrl: null,
  socialLinks: {},
  seoTags: {},
} as const satisfies Record<ProfileField, object | null>;

export const PROFILE_FIELDS = Object.keys(EMPTY_PROFILE).filter(isProfileField);

function isProfileField(name: string): name is keyof typeof EMPTY_PROFILE {
  return name in EMPTY_PROFILE;
}
