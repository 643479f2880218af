import Type from "typebox";
import type { PlatformCall } from "../../../store/mongo/monetization/platform-calls.ts";

/** Of what we make: checkouts, subscriptions, tips. */
export const OUR_ID = Type.String({ pattern: "^[0-9a-f-]{36}$" });

/** A payment that a platform should collect. Amount and ids are ours; the platform's reports contain the ids. */
export type CheckoutOrder = {
  checkoutId: string;
  /** True: billed every month; false: once. */
  isRecurring: boolean;
  subscriptionId: string | null;
  tipId: string | null;
  /** Shown to the payer. */
  title: string;
  /** Username of the channel that is paid; absent in orders of older releases. */
  channel?: string;
  amountCents: number;
  currency: string;
  confirm: "redirect" | "in_place";
  /** The page that the payer comes back to; absent: the platform's default, and in orders of older releases. */
  returnTo?: string;
};

export type OpenedCheckout = { url: string | null; clientSecret: string | null; expiresAt: Date };

/** A platform's report, translated to our own format: docs/payments.md. */
export type BillingEvent = {
  id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
};

/**
 * The platform refused, and repeats that for the idempotency key: the next try needs a new one. Anything else that fails, and may
 * have been done or is still being done, is tried again with the same key.
 */
export class CallRefused extends Error {
  override name = "CallRefused";
}

/** A verified report of a type that we handle, in a form that we can't read: a payment or an end would be lost with it. */
export class HookUnreadable extends Error {
  override name = "HookUnreadable";
}

/** An adapter for a payment provider. */
export type PaymentPlatform = {
  /** `own`: in a format of the platform's own, which `readHook` parses; then nobody else may report. `ours`: as docs/payments.md says. */
  reports: "ours" | "own";
  /** Idempotent: the same order gives the same checkout. */
  openCheckout(order: CheckoutOrder): Promise<OpenedCheckout>;
  /** Idempotent by `key`. Rejects when it must be retried; with CallRefused for a refusal. */
  call(key: string, call: PlatformCall): Promise<void>;
  /** Throws `signature_invalid`, also when the platform has no format of its own; `validation_failed` for what isn't a report. */
  verifyHook(raw: Buffer, signature: string | undefined): void;
  /** Verifies and parses; null for reports that don't concern us. Throws what `verifyHook` does, and `HookUnreadable`. */
  readHook(raw: Buffer, signature: string | undefined): BillingEvent | null;
};
