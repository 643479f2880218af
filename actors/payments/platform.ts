import type { PlatformCall } from "../../store/mongo/platform-calls.ts";

/** A payment that a platform should collect. Amount and ids are ours; the platform's reports contain the ids. */
export type CheckoutOrder = {
  checkoutId: string;
  /** True: billed every month; false: once. */
  isRecurring: boolean;
  subscriptionId: string | null;
  tipId: string | null;
  /** Shown to the payer. */
  title: string;
  amountCents: number;
  currency: string;
  confirm: "redirect" | "in_place";
};

export type OpenedCheckout = { url: string | null; clientSecret: string | null; expiresAt: Date };

/** A platform's report, translated to our own format: docs/payments.md. */
export type BillingEvent = {
  id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
};

/** The platform answered with a refusal, so the next try needs a new idempotency key. */
export class CallRefused extends Error {
  override name = "CallRefused";
}

/** An adapter for a payment provider. */
export type PaymentPlatform = {
  /** `own`: in a format of the platform's own, which `readHook` parses; then nobody else may report. `ours`: as docs/payments.md says. */
  reports: "ours" | "own";
  /** Idempotent: the same order gives the same checkout. */
  openCheckout(order: CheckoutOrder): Promise<OpenedCheckout>;
  /** Idempotent by `key`. Rejects when it must be retried; with CallRefused if the platform answered. */
  call(key: string, call: PlatformCall): Promise<void>;
  /**
   * Verifies and parses a report in the platform's own format; null for reports that don't concern us. Throws
   * `signature_invalid`, also when the platform has no format of its own.
   */
  readHook(raw: Buffer, signature: string | undefined): BillingEvent | null;
};
