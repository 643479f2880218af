import { AtSign, Clapperboard, Gift, HandCoins, type IconNode, Radio, Star, UserPlus, Users } from "lucide";
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
};

/** Null for what a newer service says. */
const kindOf = ({ kind }: Notification): Kind | null =>
  kind !== undefined && Object.hasOwn(ICONS, kind) ? kind : null;

export function iconOf(notification: Notification): IconNode | null {
  const kind = kindOf(notification);
  return kind && ICONS[kind];
}

/** What a kind's text can't do without. */
const NEEDED: Partial<Record<Kind, readonly (keyof NonNullable<Notification["about"]>)[]>> = {
  raid: ["viewers"],
  subscription: ["tier"],
  gift: ["tier"],
  gift_received: ["tier"],
  tip: ["amount_cents", "currency"],
};

/** What it says. Of a kind that this page doesn't know, or without what its text needs: the service's own words. */
export function textOf(notification: Notification): string {
  const kind = kindOf(notification);
  const { about, message } = notification;
  if (kind === null || about === undefined) return message;
  if (NEEDED[kind]?.some((part) => about[part] === undefined)) return message;
  const {
    kinds,
  }: { kinds: Record<Kind, (about: Parameters<typeof TEXTS.notifications.kinds.tip>[0]) => string> } =
    TEXTS.notifications;
  return kinds[kind]({
    actor: about.actor_name ?? null,
    channel: about.channel_name ?? null,
    recipient: about.recipient_name ?? null,
    viewers: about.viewers ?? 0,
    tier: about.tier ?? 1,
    amount: about.amount_cents ?? 0,
    currency: about.currency ?? "USD",
  });
}

/** The page that it leads to, of this site; null for none. */
export function placeOf({ about, link }: Notification): string | null {
  if (about?.clip_id !== undefined) return to(`/clips/${about.clip_id}`);
  return link === undefined ? null : ownPath(link, `${serviceUrl}/`);
}
