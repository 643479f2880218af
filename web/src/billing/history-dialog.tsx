import { Dialog } from "../components/dialog.tsx";
import { Loaded } from "../components/loaded.tsx";
import { formatMoment } from "../formats/dates.ts";
import type { Schemas } from "../site/page-data.ts";
import { More, usePagedBy } from "../site/paged.tsx";
import { TEXTS } from "../texts/texts.ts";

type Change = Schemas["SubscriptionChange"];
type Props = {
  subscription: Schemas["ChannelSubscription"];
  /** Of the channel. */
  name: string;
  onClose: () => void;
};

/** What happened to a subscription, the oldest first. */
export function HistoryDialog({ subscription, name, onClose }: Props) {
  const { billing } = TEXTS;
  const { items, ...pages } = usePagedBy(
    "getSubscriptionHistory",
    { path: { subscription_id: subscription.id } },
    ({ version, to }) => `${version} ${to}`,
  );
  const textOf = ({ from, to }: Change): string => {
    if (from === null) return billing.changes.begun;
    return billing.changes[to === "active" && from !== "cancelled" ? "renewed" : to];
  };
  return (
    <Dialog title={billing.historyTitle(name)} onClose={onClose}>
      <Loaded read={pages.first}>
        {() => (
          <ol class="subscription-history">
            {items.map((change) => (
              <li key={`${change.version} ${change.to}`}>
                <b>{textOf(change)}</b>
                <time class="quiet" dateTime={change.at}>
                  {formatMoment(change.at)}
                </time>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      <More pages={pages} />
      <div class="actions">
        <button type="button" class="button quiet" onClick={onClose}>
          {TEXTS.close}
        </button>
      </div>
    </Dialog>
  );
}
