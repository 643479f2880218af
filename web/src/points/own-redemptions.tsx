import { Check, Clock, Undo2 } from "lucide";
import { Icon } from "../components/icon.tsx";
import { Loaded } from "../components/loaded.tsx";
import { formatMoment } from "../formats/dates.ts";
import { More, usePaged } from "../site/paged.tsx";
import { TEXTS } from "../texts/texts.ts";
import type { ChannelPoints } from "./channel-points.ts";
import "./entries.css";

const ICONS = { pending: Clock, fulfilled: Check, refunded: Undo2 };

/** What the reader has redeemed on the channel, and what became of it. */
export function OwnRedemptions({ points }: { points: ChannelPoints }) {
  const pages = usePaged("listMyRedemptions", { query: { channel_user_id: points.channel.userId } });
  const { value: changed } = points.redemptions;
  const texts = TEXTS.points;
  return (
    <Loaded read={pages.first}>
      {() => {
        const all = new Map([...pages.items.map((one) => [one.id, one] as const), ...changed]);
        const newest = [...all.values()].sort((a, b) => b.created_at.localeCompare(a.created_at));
        if (newest.length === 0) return <p class="note">{texts.noRedemptions}</p>;
        return (
          <>
            <ul class="points-entries">
              {newest.map(({ id, reward, status, user_input, created_at }) => (
                <li key={id} data-status={status}>
                  <p class="what">
                    <b dir="auto">{reward.title}</b>
                    <span class="state">
                      <Icon of={ICONS[status]} />
                      {texts.states[status]}
                    </span>
                  </p>
                  {user_input !== null && (
                    <p class="input" dir="auto">
                      {user_input}
                    </p>
                  )}
                  <p class="quiet facts">
                    <span>{texts.points(reward.cost)}</span>
                    <time dateTime={created_at}>{formatMoment(created_at)}</time>
                  </p>
                </li>
              ))}
            </ul>
            <More pages={pages} />
          </>
        );
      }}
    </Loaded>
  );
}
