import { Loaded } from "../components/loaded.tsx";
import { formatMoment } from "../formats/dates.ts";
import { More, usePages } from "../site/pages.tsx";
import { TEXTS } from "../texts/texts.ts";
import "./ledger.css";

type Props = {
  /** Of the channel's owner. */
  channelUserId: string;
  /** Names the list. */
  channelName: string;
  /** Of the reader, where it is known: with another one the list is read again. */
  balance?: number;
};

/** What changed the reader's points at a channel, the newest first. */
export function Ledger({ channelUserId, channelName, balance }: Props) {
  const { ledger } = TEXTS;
  // Another balance has other entries.
  return <Entries key={balance} channelUserId={channelUserId} title={ledger.title(channelName)} />;
}

function Entries({ channelUserId, title }: { channelUserId: string; title: string }) {
  const { ledger } = TEXTS;
  const reasons: Record<string, string> = ledger.reasons;
  const { items, ...pages } = usePages("getPointsLedger", { path: { user_id: channelUserId } });
  return (
    <div class="ledger">
      <Loaded read={pages.first}>
        {() =>
          items.length === 0 ? (
            <p class="quiet">{ledger.empty}</p>
          ) : (
            <ul aria-label={title}>
              {items.map(({ id, delta, reason, balance_after, created_at }) => (
                <li key={id}>
                  <span class="reason">
                    {Object.hasOwn(reasons, reason) ? reasons[reason] : ledger.other}
                    <time class="quiet" dateTime={created_at}>
                      {formatMoment(created_at)}
                    </time>
                  </span>
                  <span class="change">
                    <b>{delta > 0 ? `+${delta.toLocaleString("en")}` : delta.toLocaleString("en")}</b>
                    <span class="quiet">{ledger.after(balance_after)}</span>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={pages} />
    </div>
  );
}
