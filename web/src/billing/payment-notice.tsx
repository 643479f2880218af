import { X } from "lucide";
import { useEffect, useState } from "preact/hooks";
import { nameOf } from "../components/avatar.tsx";
import { Icon } from "../components/icon.tsx";
import { formatMoney } from "../formats/money.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { client, isKnown } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { arrivals, forgetInAddress, type Return, retried, returned } from "./checkout.ts";
import "./payment-notice.css";

type Checkout = Schemas["Checkout"];

/** It isn't the reader's, or not any more. */
const FINAL = [401, 403, 404];
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;
const LONGER = 1.5;

/** What became of the payment from which the reader came back, until they close it. */
export function PaymentNotice({ from }: { from: Return }) {
  const checkout = useOutcome(from);
  const close = (): void => {
    forgetInAddress();
    returned.value = null;
  };
  return <PaymentOutcome checkout={checkout} from={from} onClose={close} />;
}

type OutcomeProps = {
  /** Undefined until it is known, null for one that isn't the reader's. */
  checkout: Checkout | null | undefined;
  from: Return;
  onClose: () => void;
};

/** What became of a payment, and how to go on. */
export function PaymentOutcome({ checkout, from, onClose }: OutcomeProps) {
  const outcome = checkout?.status;
  const isWaiting = checkout === undefined || (checkout?.status === "open" && !from.hasLeft);
  return (
    <div class="payment-notice" role="status" aria-busy={isWaiting} data-outcome={outcome}>
      <div>
        <p dir="auto">{textOf(checkout, from)}</p>
        {checkout && <Next checkout={checkout} from={from} onClose={onClose} />}
      </div>
      <button type="button" class="shut" aria-label={TEXTS.close} onClick={onClose}>
        <Icon of={X} />
      </button>
    </div>
  );
}

/** Reads a checkout until the platform has reported; undefined before the first answer, null if it isn't the reader's. */
function useOutcome({ id, hasLeft }: Return): Checkout | null | undefined {
  const [checkout, setCheckout] = useState<Checkout | null>();
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wait = FIRST_WAIT_MS;
    const read = async (): Promise<void> => {
      const input = { path: { checkout_id: id }, signal: ended.signal };
      const answer = await client.attempt("getCheckout", input).catch(() => null);
      if (ended.signal.aborted) return;
      const isMissing = answer?.ok === false && FINAL.includes(answer.status);
      if (answer?.ok) setCheckout(answer.data);
      if (isMissing) setCheckout(null);
      const isOpen = answer?.ok ? answer.data.status === "open" && !hasLeft : !isMissing;
      if (isOpen) {
        const asked = answer?.ok === false ? (answer.error.retryAfterMs ?? 0) : 0;
        timer = setTimeout(() => void read(), Math.max(wait, asked));
        wait = Math.min(wait * LONGER, LONGEST_WAIT_MS);
        return;
      }
      forgetInAddress();
      if (answer?.ok && answer.data.status === "paid") arrivals.value++;
    };
    // Paying may have taken longer than the session's cookie lasts: it is renewed first, or the answer would be a stranger's.
    void isKnown().then(read);
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [id]);
  return checkout;
}

function textOf(checkout: Checkout | null | undefined, { hasLeft }: Return): string {
  const { notice } = TEXTS.billing;
  if (checkout === undefined) return notice.waiting;
  if (checkout === null) return notice.missing;
  const { kind, status, tier, amount_cents, currency } = checkout;
  const channel = checkout.channel ? nameOf(checkout.channel) : notice.goneChannel;
  const amount = formatMoney(amount_cents, currency);
  if (status === "open") return hasLeft ? notice.left(amount, channel) : notice.waiting;
  if (status !== "paid") return notice[status];
  if (kind === "tip") return notice.tipped(amount, channel);
  if (kind === "gift")
    return notice.gifted(checkout.gift_to ? nameOf(checkout.gift_to) : notice.goneUser, channel);
  return notice.subscribed(channel, tier ?? 1);
}

/** How to go on, where nothing was paid. */
function Next({ checkout, from, onClose }: { checkout: Checkout; from: Return; onClose: () => void }) {
  const { kind, status, channel } = checkout;
  const { notice } = TEXTS.billing;
  if (status === "open" && from.hasLeft) {
    return (
      <a class="button" href={from.url}>
        {notice.payNow}
      </a>
    );
  }
  if ((status !== "failed" && status !== "expired") || !channel) return null;
  const address = to(channel.username);
  const again = (): void => {
    onClose();
    retried.value = kind;
  };
  return (
    <a class="button" href={address} onClick={again}>
      {TEXTS.tryAgain}
    </a>
  );
}
