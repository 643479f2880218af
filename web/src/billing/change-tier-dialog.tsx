import { useState } from "preact/hooks";
import { DialogForm } from "../components/dialog-form.tsx";
import { Loaded } from "../components/loaded.tsx";
import { useSubmit } from "../components/use-submit.ts";
import { formatDate } from "../formats/dates.ts";
import { formatMoney } from "../formats/money.ts";
import type { Schemas } from "../site/page-data.ts";
import { useRead } from "../site/read.ts";
import { client } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { goTo, returnAddress } from "./checkout.ts";

type Subscription = Schemas["ChannelSubscription"];
type Props = {
  subscription: Subscription;
  /** Of the channel. */
  name: string;
  /** With what to say. */
  onDone: (subscription: Subscription, text: string) => void;
  onClose: () => void;
};

/** A higher tier is paid for at once; a lower one begins with the next payment. */
export function ChangeTierDialog({ subscription, name, onDone, onClose }: Props) {
  const { billing } = TEXTS;
  const { id, tier, next_tier: next, channel_user_id } = subscription;
  const date = formatDate(subscription.renews_at ?? "");
  const offers = useRead("listSubscriptionTiers", { path: { user_id: channel_user_id } });
  const planned = next ?? tier;
  const [chosen, choose] = useState(planned);
  const isHigher = chosen > tier;
  const submission = useSubmit(async () => {
    const body = { tier: chosen, return_to: returnAddress() };
    const answer = await client.call("changeSubscriptionTier", { path: { subscription_id: id }, body });
    if ("checkout_url" in answer) goTo(answer);
    else onDone(answer, chosen === tier ? billing.tierKept(tier) : billing.tierChanged(chosen, date));
  });
  const hintOf = (price: string): string => {
    if (isHigher) return billing.higher(price, chosen, tier);
    return chosen === tier ? billing.sameTier(tier) : billing.lower(date, tier);
  };
  return (
    <DialogForm
      title={billing.changeTitle(name)}
      submission={{ ...submission, isBusy: submission.isBusy || chosen === planned }}
      go={isHigher ? billing.toPayment : billing.change}
      onClose={onClose}
    >
      <Loaded read={offers}>
        {({ items }) => (
          <>
            <fieldset class="tiers">
              <legend class="aloud">{billing.tiers}</legend>
              {items.map((offer) => (
                <label key={offer.tier} class="tier">
                  <span class="head">
                    <input
                      type="radio"
                      name="tier"
                      checked={offer.tier === chosen}
                      onChange={() => choose(offer.tier)}
                    />
                    <b>{billing.tier(offer.tier)}</b>
                    <span class="price">
                      {billing.perMonth(formatMoney(offer.price_cents, offer.currency))}
                    </span>
                  </span>
                </label>
              ))}
            </fieldset>
            {items
              .filter((offer) => offer.tier === chosen)
              .map(({ price_cents, currency }) => (
                <p key={chosen} class="hint" aria-live="polite">
                  {hintOf(formatMoney(price_cents, currency))}
                </p>
              ))}
          </>
        )}
      </Loaded>
    </DialogForm>
  );
}
