import { invalid } from "../../specs/contract/errors.ts";
import { DAY_MS } from "../../store/durations.ts";

/** A name may be changed once in this time; the old one stays reserved for its owner longer. */
export const USERNAME_CHANGE_MS = 60 * DAY_MS;
export const USERNAME_RESERVATION_MS = 180 * DAY_MS;

/** First path segments that the service or its front ends use, and names that could impersonate the service. */
const RESERVED: ReadonlySet<string> = new Set(
  `about abuse account accounts admin administrator admins analytics anonymous api app apps assets auth billing blog
  bot bots browse cameras categories category channel channels chat chats cdn clip clips community contact copyright
  creator creators dashboard deleted deleted_user developer developers directory discovery dmca docs download
  downloads edge embed explore faq favicon feed feedback following friends gaming guest healthz help home host
  hosting hosts images inbox info ingest irl jobs language legal live livecore login logout mail media me message
  messages metrics mobile mod moderation moderator moderators mods music news notifications null oauth official owner
  password payment payments player playback points popup predictions press privacy prime profile public raid raids
  readyz redemptions register report reports reset rewards robots root rules safety schedule search security seo
  service session sessions settings setup shop signin signout signup sitemap socket sockets staff static status
  store stream streams subscribe subscriptions support system sysop team teams terms test tip tips tokens
  trust twofactor undefined unknown upload uploads user username users v1 v2 verify video videos viewer viewers
  wallet webhook webhooks webmaster well_known whispers ws www`.split(/\s+/),
);

function refuse(path: string, rule: string, message: string): never {
  throw invalid({ path, rule, message });
}

/** The stored form of a requested name; throws `validation_failed` for reserved ones. */
export function usernameFrom(wanted: string): string {
  const username = wanted.toLowerCase();
  if (RESERVED.has(username)) refuse("/body/username", "reserved", "is a reserved word");
  return username;
}

/** Checks that a title equals the name except for upper and lower case. Throws `validation_failed`. */
export function checkUsernameTitle(title: string, username: string): void {
  if (title.toLowerCase() !== username) {
    refuse("/body/username_title", "casing", "may differ from the username in upper and lower case alone");
  }
}
