import {
  AtSign,
  Clapperboard,
  Gift,
  HandCoins,
  type IconNode,
  Radio,
  ShieldCheck,
  Star,
  UserPlus,
  Users,
} from "lucide";
import { ownPath } from "../site/own-path.ts";
import { type Schemas, serviceUrl, to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

export type Notification = Schemas["Notification"];
type Kind = Schemas["NotificationKind"];

const ICONS: Record<Kind, IconNode> = {
  stream_live: Radio,
  mention: AtSign,
  follower: UserPlus,
  raid: Users,
  clip: Clapperboard,
  subscription: Star,
  gift: Gift,
  gift_received: Gift,
  tip: HandCoins,
  unban_request: ShieldCheck,
};

/** Null for what a newer service says. */
const kindOf = ({ kind }: Notification): Kind | null =>
  kind !== undefined && Object.hasOwn(ICONS, kind) ? kind : null;

export function iconOf(notification: Notification): IconNode | null {
  const kind = kindOf(notification);
  return kind && ICONS[kind];
}

type About = NonNullable<Notification["about"]>;
type Words = typeof TEXTS.notifications.kinds;
const namesOf = ({ actor_name, channel_name, recipient_name }: About) => ({
  actor: actor_name ?? null,
  channel: channel_name ?? null,
  recipient: recipient_name ?? null,
});
const ofTier = (kind: "subscription" | "gift" | "gift_received") => (words: Words, about: About) =>
  about.tier === undefined ? null : words[kind]({ ...namesOf(about), tier: about.tier });

/** What each kind says; null without what its text can't do without. */
const SAID: Record<Kind, (words: Words, about: About) => string | null> = {
  stream_live: (words, about) => words.stream_live(namesOf(about)),
  mention: (words, about) => words.mention(namesOf(about)),
  follower: (words, about) => words.follower(namesOf(about)),
  clip: (words, about) => words.clip(namesOf(about)),
  raid: (words, { viewers, ...about }) =>
    viewers === undefined ? null : words.raid({ ...namesOf(about), viewers }),
  subscription: ofTier("subscription"),
  gift: ofTier("gift"),
  gift_received: ofTier("gift_received"),
  tip: (words, { amount_cents: amount, currency, ...about }) =>
    amount === undefined || currency === undefined
      ? null
      : words.tip({ ...namesOf(about), amount, currency }),
  unban_request: (words, { is_approved: isApproved, ...about }) =>
    isApproved === undefined ? null : words.unban_request({ ...namesOf(about), isApproved }),
};

/** What it says. Of a kind that this page doesn't know, or without what its text needs: the service's own words. */
export function textOf(notification: Notification): string {
  const kind = kindOf(notification);
  const { about, message } = notification;
  if (kind === null || about === undefined) return message;
  return SAID[kind](TEXTS.notifications.kinds, about) ?? message;
}

/** The page that it leads to, of this site; null for none. */
export function placeOf({ about, link }: Notification): string | null {
  if (about?.clip_id !== undefined) return to(`/clips/${about.clip_id}`);
  return link === undefined ? null : ownPath(link, `${serviceUrl}/`);
}
