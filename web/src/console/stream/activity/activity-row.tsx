import { Gift, HandCoins, Handshake, type IconNode, Sparkles, Star, UserPlus, Users } from "lucide";
import { nameOf } from "../../../components/avatar.tsx";
import { ChannelLink } from "../../../components/channel-link.tsx";
import { Icon } from "../../../components/icon.tsx";
import { formatMoment, formatRecent } from "../../../formats/dates.ts";
import { serverNow } from "../../../site/service-clock.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import type { Activity, ActivityKind, ActivityList } from "./activity.ts";
import { Decision } from "./decision.tsx";

const ICONS: Record<ActivityKind, IconNode> = {
  follow: UserPlus,
  subscription: Star,
  gift: Gift,
  tip: HandCoins,
  raid: Users,
  host: Handshake,
  redemption: Sparkles,
};

/** Instead of a name. */
const gone = ({ kind }: Activity): string =>
  kind === "tip" ? CONSOLE_TEXTS.activity.anonymous : CONSOLE_TEXTS.activity.someone;

/** What follows the name. */
function said({ kind, tier = 1, amount_cents = 0, currency = "USD", viewer_count = 0 }: Activity): string {
  const { said } = CONSOLE_TEXTS.activity;
  switch (kind) {
    case "follow":
    case "host":
    case "redemption":
      return said[kind];
    case "subscription":
    case "gift":
      return said[kind](tier);
    case "tip":
      return said.tip(amount_cents, currency);
    case "raid":
      return said.raid(viewer_count);
  }
}

/** All of it in one text. */
export function spoken(activity: Activity): string {
  const { user, receiver, redemption } = activity;
  const parts = [user ? nameOf(user) : gone(activity), said(activity)];
  if (receiver !== undefined) parts.push(receiver ? nameOf(receiver) : CONSOLE_TEXTS.activity.someone);
  if (redemption) parts.push(redemption.reward.title);
  return parts.join(" ");
}

type Props = { activity: Activity; list: Pick<ActivityList, "redemptionIs" | "first"> };

export function ActivityRow({ activity, list }: Props) {
  const texts = CONSOLE_TEXTS.activity;
  const { kind, user, receiver, message = null, redemption, created_at } = activity;
  const input = redemption?.user_input ?? null;
  return (
    <li data-kind={kind} tabIndex={-1}>
      <Icon of={ICONS[kind]} />
      <div class="what">
        <p>
          <ChannelLink channel={user} gone={gone(activity)} /> {said(activity)}
          {receiver !== undefined && (
            <>
              {" "}
              <ChannelLink channel={receiver} gone={texts.someone} />
            </>
          )}
          {redemption && (
            <>
              {" "}
              <b dir="auto">{redemption.reward.title}</b>{" "}
              <span class="quiet">{texts.points(redemption.reward.cost)}</span>
            </>
          )}
        </p>
        {message !== null && <q dir="auto">{message}</q>}
        {input !== null && <q dir="auto">{input}</q>}
        {redemption?.status === "pending" && <Decision redemption={redemption} list={list} />}
      </div>
      <p class="quiet when">
        <time dateTime={created_at} title={formatMoment(created_at)}>
          {formatRecent(created_at, serverNow())}
        </time>
        {redemption && <span>{CONSOLE_TEXTS.rewards.states[redemption.status]}</span>}
      </p>
    </li>
  );
}
