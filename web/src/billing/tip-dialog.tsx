import { useState } from "preact/hooks";
import { nameOf } from "../components/avatar.tsx";
import { DialogForm } from "../components/dialog-form.tsx";
import { Field } from "../components/field.tsx";
import { TextArea } from "../components/text-area.tsx";
import { formatMoney, parseMoney, plainMoney } from "../formats/money.ts";
import type { Schemas } from "../site/page-data.ts";
import { faultOf, Problem } from "../site/problems.ts";
import { useRead } from "../site/read.ts";
import { client, isSignedIn } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { useCheckout } from "./checkout.ts";
import "./billing.css";

/** In the currency's smallest unit, as the interface has them. */
const LEAST = 100;
const MOST = 1_000_000;
const SUGGESTED = [300, 500, 1_000, 2_500];
const LONGEST_MESSAGE = 255;

type Props = { user: Schemas["ChannelProfile"]; onClose: () => void };

/** Sends money to a channel, with a message that its chat shows. */
export function TipDialog({ user, onClose }: Props) {
  const { billing } = TEXTS;
  // The service has one currency.
  const tiers = useRead("listSubscriptionTiers", { path: { user_id: user.id } });
  const currency = tiers.data?.items[0]?.currency;
  const [written, setWritten] = useState("");
  const [message, setMessage] = useState("");
  const [isAnonymous, setAnonymous] = useState(false);
  const submission = useCheckout(async (return_to) => {
    if (currency === undefined) throw new Problem(tiers.problem ?? TEXTS.problems.busy);
    const amount = parseMoney(written, currency);
    if (amount === null || amount < LEAST || amount > MOST)
      throw new Problem(billing.amountBounds(formatMoney(LEAST, currency), formatMoney(MOST, currency)));
    const said = message.trim();
    const body = {
      to_user_id: user.id,
      amount_cents: amount,
      currency,
      return_to,
      anonymous: isAnonymous || !isSignedIn.value,
      ...(said === "" ? {} : { message: said }),
    };
    return client.call("createTipCheckout", { body });
  }, onClose);
  return (
    <DialogForm
      title={billing.tipTitle(nameOf(user))}
      submission={submission}
      go={billing.toPayment}
      onClose={onClose}
    >
      <Field
        name="amount"
        label={currency === undefined ? billing.amount : billing.amountIn(currency)}
        value={written}
        onValue={setWritten}
        autoComplete="off"
        inputMode="decimal"
        maxLength={12}
        autoFocus
        required
      />
      {currency !== undefined && (
        <div class="amounts">
          {SUGGESTED.map((amount) => (
            <button
              key={amount}
              type="button"
              class="button quiet"
              aria-pressed={parseMoney(written, currency) === amount}
              onClick={() => setWritten(plainMoney(amount, currency))}
            >
              {formatMoney(amount, currency)}
            </button>
          ))}
        </div>
      )}
      <TextArea
        name="message"
        label={billing.message}
        hint={isAnonymous || !isSignedIn.value ? billing.messageHidden : billing.messageShown}
        fault={faultOf(submission.refusal, "message")}
        value={message}
        onValue={setMessage}
        maxLength={LONGEST_MESSAGE}
        rows={3}
      />
      {isSignedIn.value ? (
        <label class="check">
          <input
            type="checkbox"
            checked={isAnonymous}
            onChange={({ currentTarget }) => setAnonymous(currentTarget.checked)}
          />
          {billing.anonymous}
        </label>
      ) : (
        <p class="hint">{billing.nobody}</p>
      )}
    </DialogForm>
  );
}
