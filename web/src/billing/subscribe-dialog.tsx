import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import { nameOf } from "../components/avatar.tsx";
import { DialogForm } from "../components/dialog-form.tsx";
import { Field } from "../components/field.tsx";
import { Loaded } from "../components/loaded.tsx";
import { formatDate } from "../formats/dates.ts";
import { formatMoney } from "../formats/money.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { Problem } from "../site/problems.ts";
import { useRead } from "../site/read.ts";
import { client } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { useCheckout } from "./checkout.ts";
import { type Offer, type Tier, Tiers } from "./tiers.tsx";

type Props = {
  user: Schemas["ChannelProfile"];
  streamId: string;
  /** The reader's own; null without one. */
  subscription: Schemas["ChannelSubscription"] | null;
  /** Whether it begins as a gift. */
  isGift: boolean;
  onClose: () => void;
};

const LONGEST_USERNAME = 25;

/** Subscribes to a channel, or gives somebody a subscription. Who is billed already can only give. */
export function SubscribeDialog({ user, streamId, subscription, isGift: beginsAsGift, onClose }: Props) {
  const { billing } = TEXTS;
  const isBilled = subscription !== null && !subscription.is_gift;
  const offers = useRead("listSubscriptionTiers", { path: { user_id: user.id } });
  const [isGift, setGift] = useState(beginsAsGift || isBilled);
  const [tier, setTier] = useState<Tier>(1);
  const [receiver, setReceiver] = useState("");
  const submission = useCheckout(async (return_to) => {
    const gift = isGift ? { gift_to_user_id: await idOf(receiver) } : {};
    const body = { channel_user_id: user.id, tier, return_to, ...gift };
    return client.call("createSubscriptionCheckout", { body });
  }, onClose);
  const priceOf = ({ price_cents, currency }: Offer): string =>
    (isGift ? billing.perGift : billing.perMonth)(formatMoney(price_cents, currency));
  const name = nameOf(user);
  return (
    <DialogForm
      title={isGift ? billing.giftTitle(name) : billing.subscribeTitle(name)}
      submission={submission}
      go={billing.toPayment}
      onClose={onClose}
    >
      {subscription && <Own subscription={subscription} />}
      {!isBilled && (
        <fieldset class="plain who-gets-it">
          <legend>{billing.whoFor}</legend>
          <label class="check">
            <input type="radio" name="for" checked={!isGift} onChange={() => setGift(false)} />
            {billing.forMe}
          </label>
          <label class="check">
            <input type="radio" name="for" checked={isGift} onChange={() => setGift(true)} />
            {billing.asGift}
          </label>
        </fieldset>
      )}
      {isGift && (
        <Field
          name="receiver"
          label={billing.receiver}
          hint={billing.receiverHint}
          value={receiver}
          onValue={setReceiver}
          autoComplete="off"
          maxLength={LONGEST_USERNAME}
          required
        />
      )}
      <Loaded read={offers}>
        {({ items }) => (
          <Tiers streamId={streamId} offers={items} chosen={tier} priceOf={priceOf} onChoose={setTier} />
        )}
      </Loaded>
      <p class="hint">{isGift ? billing.giftHint : billing.renewalHint}</p>
    </DialogForm>
  );
}

/** What the reader has, and where it is changed. */
function Own({ subscription }: { subscription: Schemas["ChannelSubscription"] }) {
  const { billing } = TEXTS;
  const { tier, status, is_gift, renews_at } = subscription;
  const date = renews_at === null ? "" : formatDate(renews_at);
  const text = is_gift ? billing.states.gift(date) : billing.states[status](date);
  return (
    <p>
      {`${billing.tier(tier)}. ${text} `}
      <a href={to("/settings/subscriptions")}>{billing.manage}</a>
    </p>
  );
}

/** Throws a Problem where nobody has that name. */
async function idOf(written: string): Promise<string> {
  const username = written.trim().replace(/^@/, "").toLowerCase();
  try {
    return (await client.call("getPublicProfile", { path: { username } })).id;
  } catch (err) {
    const isNobody = err instanceof LivecoreError && ["not_found", "validation_failed"].includes(err.code);
    throw isNobody ? new Problem(TEXTS.billing.noSuchUser) : err;
  }
}
