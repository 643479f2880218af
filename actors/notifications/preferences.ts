import { invalid } from "../../contract/errors.ts";
import { formatInWords } from "../../contract/refused-rule.ts";
import type { NotificationPreferences, NotificationPreferencesUpdate } from "../../contract/wire.ts";
import type { NotificationType } from "../../store/mongo/notifications/notification-facts.ts";
import {
  type NotificationPreferencesDoc,
  notificationPreferencesIn,
} from "../../store/mongo/notifications/notification-preferences.ts";
import { findZone, localTimeOf, timeOfDay } from "../channels/public.ts";
import type { FeatureDeps } from "../features/deps.ts";
import { quietUntil } from "./quiet-hours.ts";

type Switch =
  | ("stream_live" | "mentions" | "followers" | "raids" | "clips" | "subscriptions" | "donations")
  | "unban_requests";

/** The name of each type's switch in the preferences. */
const SWITCHES = {
  stream_live: "stream_live",
  mention: "mentions",
  follower: "followers",
  raid: "raids",
  clip: "clips",
  subscription: "subscriptions",
  donation: "donations",
  unban_request: "unban_requests",
} as const satisfies Record<NotificationType, Switch>;

const TYPES: readonly NotificationType[] = [
  ...(["stream_live", "mention", "follower", "raid", "clip", "subscription", "donation"] as const),
  "unban_request",
];

/**
 * Preferences for notifications. Notifications of a type that is switched off are never created; quiet hours and the switches of
 * ways affect only mail and push.
 */
export function createNotificationPreferences({ mongo, clock }: Pick<FeatureDeps, "mongo" | "clock">) {
  const preferences = notificationPreferencesIn(mongo.db);
  return {
    async of(userId: string): Promise<NotificationPreferences> {
      return view((await preferences.find(userId)) ?? docOf(userId, {}, new Date(clock.now())));
    },

    /** When the user's current quiet hours end; null outside of quiet hours. */
    async quietUntil(userId: string): Promise<Date | null> {
      const set = await preferences.find(userId);
      return set && quietUntil(set, new Date(clock.now()));
    },

    /** Replaces all preferences; omitted fields get their defaults. Throws `validation_failed`. */
    async set(userId: string, given: NotificationPreferencesUpdate): Promise<NotificationPreferences> {
      const doc = docOf(userId, given, new Date(clock.now()));
      await preferences.set(doc);
      return view(doc);
    },
  };
}

/** Throws `validation_failed`. */
function docOf(
  userId: string,
  given: NotificationPreferencesUpdate,
  changedAt: Date,
): NotificationPreferencesDoc {
  const timeZone = given.time_zone ?? "UTC";
  const zone = findZone(timeZone);
  if (!zone) throw refused("/body/time_zone", "timeZone", "must be a name of the IANA time zone database");
  const start = timeOf(given.quiet_hours_start ?? null, "/body/quiet_hours_start");
  const end = timeOf(given.quiet_hours_end ?? null, "/body/quiet_hours_end");
  if ((start === null) !== (end === null))
    throw refused(
      "/body/quiet_hours_end",
      "together",
      "must come together with quiet_hours_start, or neither",
    );
  const shownAt = (at: Date) => timeOfDay(localTimeOf(+at, zone));
  if (start && end && shownAt(start) === shownAt(end))
    throw refused("/body/quiet_hours_end", "differs", "must be another time of day than quiet_hours_start");
  return {
    _id: userId,
    off: TYPES.filter((type) => given[SWITCHES[type]] === false),
    quietHoursStart: start,
    quietHoursEnd: end,
    timeZone,
    emailEnabled: given.email_enabled ?? false,
    pushEnabled: given.push_enabled ?? true,
    changedAt,
  };
}

/**
 * Throws `validation_failed` for times that the schema's format accepts but we can't store: leap seconds, and times that their
 * offset moves out of the years 0 to 9999.
 */
function timeOf(text: string | null, path: string): Date | null {
  if (text === null) return null;
  const at = new Date(text);
  if (Number.isNaN(+at)) throw refused(path, "format", formatInWords("date-time"));
  if (!/^\d{4}-/.test(at.toISOString())) throw refused(path, "range", "must be of the years 0 to 9999");
  return at;
}

const refused = (path: string, rule: string, message: string) => invalid({ path, rule, message });

function view(doc: NotificationPreferencesDoc): NotificationPreferences {
  const isOn = (type: NotificationType) => !doc.off.includes(type);
  return {
    stream_live: isOn("stream_live"),
    mentions: isOn("mention"),
    followers: isOn("follower"),
    raids: isOn("raid"),
    clips: isOn("clip"),
    subscriptions: isOn("subscription"),
    donations: isOn("donation"),
    unban_requests: isOn("unban_request"),
    ...(doc.quietHoursStart === null ? {} : { quiet_hours_start: doc.quietHoursStart.toISOString() }),
    ...(doc.quietHoursEnd === null ? {} : { quiet_hours_end: doc.quietHoursEnd.toISOString() }),
    time_zone: doc.timeZone,
    email_enabled: doc.emailEnabled,
    push_enabled: doc.pushEnabled,
  };
}
