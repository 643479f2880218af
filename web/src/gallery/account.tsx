import { SubscriptionRow } from "../billing/subscription-row.tsx";
import { Entry } from "../notifications/entry.tsx";
import { HOSTILE, LONG, nothing, notificationOf, subscriptionOf, WIDE } from "./made-up.ts";
import { Shelf, Specimen } from "./specimen.tsx";
import "../billing/billing.css";
import "../notifications/notifications.css";

const LIST = { read: async () => true, remove: async () => true };

/** What the account's pages list. */
export const AccountShelf = () => (
  <Shelf title="Account">
    <Specimen name="Notifications">
      <div class="page notifications">
        <ul class="entries">
          <Entry notification={notificationOf()} list={LIST} />
          <Entry notification={notificationOf({ is_read: true, message: LONG })} list={LIST} />
          <Entry notification={notificationOf({ message: HOSTILE })} list={LIST} />
        </ul>
      </div>
    </Specimen>
    <Specimen name="Subscriptions">
      <ul class="rows">
        {(["active", "past_due", "cancelled", "expired"] as const).map((status) => (
          <SubscriptionRow key={status} subscription={subscriptionOf({ status })} onAct={nothing} />
        ))}
        <SubscriptionRow subscription={subscriptionOf({ is_gift: true, channel: WIDE })} onAct={nothing} />
      </ul>
    </Specimen>
  </Shelf>
);
