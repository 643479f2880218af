import { Avatar, nameOf } from "../components/avatar.tsx";
import { ChannelLink } from "../components/channel-link.tsx";
import { formatDate } from "../formats/dates.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

type Subscription = Schemas["ChannelSubscription"];

export type Act = "cancel" | "resume" | "change" | "history";
type Props = { subscription: Subscription; onAct: (act: Act, subscription: Subscription) => void };

/** What a state allows, the most likely first. A gift isn't billed: there is nothing to cancel. */
function actsIn({ status, is_gift }: Subscription): Act[] {
  if (is_gift) return ["history"];
  if (status === "active") return ["change", "cancel", "history"];
  if (status === "past_due") return ["cancel", "history"];
  if (status === "cancelled") return ["resume", "history"];
  return ["history"];
}

/** A subscription, its state and what the reader may do about it. */
export function SubscriptionRow({ subscription, onAct }: Props) {
  const { billing } = TEXTS;
  const { channel, tier, status, next_tier, gifted_by } = subscription;
  const name = channel ? nameOf(channel) : billing.goneChannel;
  const date = formatDate(subscription.renews_at ?? "");
  const isGift = subscription.is_gift && status !== "expired";
  const acts: Record<Act, { text: string; label: string }> = {
    change: { text: billing.changeTier, label: billing.changeTierOf(name) },
    cancel: { text: billing.cancel, label: billing.cancelOf(name) },
    resume: { text: billing.resume, label: billing.resumeOf(name) },
    history: { text: billing.history, label: billing.historyOf(name) },
  };
  return (
    <li class="subscription">
      {channel && <Avatar user={channel} />}
      <div class="what">
        <ChannelLink channel={channel} gone={billing.goneChannel} />
        <span>
          {`${billing.tier(tier)}. `}
          <span class={status === "past_due" ? "fault" : undefined}>
            {isGift ? billing.states.gift(date) : billing.states[status](date)}
          </span>
        </span>
        {gifted_by && (
          <span class="quiet">
            {`${billing.giftFrom} `}
            <a href={to(gifted_by.username)}>
              <bdi>{nameOf(gifted_by)}</bdi>
            </a>
          </span>
        )}
        {next_tier !== undefined && <span class="quiet">{billing.states.nextTier(next_tier, date)}</span>}
      </div>
      <div class="actions">
        {status === "expired" && channel && (
          <a class="button quiet" href={to(channel.username)} aria-label={billing.againOf(name)}>
            {billing.again}
          </a>
        )}
        {actsIn(subscription).map((act) => (
          <button
            key={act}
            type="button"
            class="button quiet"
            aria-label={acts[act].label}
            onClick={() => onAct(act, subscription)}
          >
            {acts[act].text}
          </button>
        ))}
      </div>
    </li>
  );
}
