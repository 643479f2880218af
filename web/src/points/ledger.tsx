import { useEffect, useRef } from "preact/hooks";
import { Loaded } from "../components/loaded.tsx";
import { formatMoment } from "../formats/dates.ts";
import { More, usePaged } from "../site/paged.tsx";
import { TEXTS } from "../texts/texts.ts";
import "./entries.css";

type Props = {
  /** Of the channel's owner. */
  channelUserId: string;
  /** Names the list. */
  label: string;
  /** Changes with each change of the balance: there are other entries then. */
  change: unknown;
};

/** Each change of the reader's balance at a channel with its reason, newest first. */
export function Ledger({ channelUserId, label, change }: Props) {
  const pages = usePaged("getPointsLedger", { path: { user_id: channelUserId } });
  const texts = TEXTS.points;
  const shown = useRef(change);
  const hasGrown = useRef(false);
  const more = (): void => {
    hasGrown.current = true;
    pages.more();
  };
  useEffect(() => {
    // Further pages wouldn't join a first one that has moved.
    if (shown.current === change || hasGrown.current) return;
    shown.current = change;
    pages.first.again();
  }, [change]);
  const reasonOf = (reason: string): string =>
    Object.hasOwn(texts.reasons, reason) ? (texts.reasons[reason] ?? texts.otherReason) : texts.otherReason;
  return (
    <Loaded read={pages.first}>
      {() =>
        pages.items.length === 0 ? (
          <p class="note">{texts.noHistory}</p>
        ) : (
          <>
            <ul class="points-entries" aria-label={label}>
              {pages.items.map(({ id, reason, delta, balance_after, created_at }) => (
                <li key={id}>
                  <p class="what">
                    <b>{reasonOf(reason)}</b>
                    <span class="delta" data-loss={delta < 0}>
                      {texts.gained(delta)}
                    </span>
                  </p>
                  <p class="quiet facts">
                    <span>{texts.balanceAfter(balance_after)}</span>
                    <time dateTime={created_at}>{formatMoment(created_at)}</time>
                  </p>
                </li>
              ))}
            </ul>
            <More pages={{ ...pages, more }} />
          </>
        )
      }
    </Loaded>
  );
}
