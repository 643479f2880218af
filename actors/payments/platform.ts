import type { PlatformCall } from "../../store/mongo/platform-calls.ts";

/** A payment that a platform is to take. Amount and ids are ours; it gives the ids back in its reports. */
export type CheckoutOrder = {
  checkoutId: string;
  /** Billed every month, or once. */
  isRecurring: boolean;
  subscriptionId: string | null;
  tipId: string | null;
  /** What the payer reads. */
  title: string;
  amountCents: number;
  currency: string;
  confirm: "redirect" | "in_place";
};

export type OpenedCheckout = { url: string | null; clientSecret: string | null; expiresAt: Date };

/** What a platform reports, in our words: docs/payments.md. */
export type BillingEvent = {
  id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
};

/** The platform has answered that it won't, or can't: the next try is another call. */
export class CallRefused extends Error {
  override name = "CallRefused";
}

/** Whoever takes the money. */
export type PaymentPlatform = {
  /** The same order again is the same checkout. */
  openCheckout(order: CheckoutOrder): Promise<OpenedCheckout>;
  /** The same key again is the same call. Rejects when it has to be tried again, with CallRefused when it was answered. */
  call(key: string, call: PlatformCall): Promise<void>;
  /**
   * Reads a report in the platform's own format; null when it says nothing that we know. Throws `signature_invalid`, also
   * where the platform has no format of its own.
   */
  readHook(raw: Buffer, signature: string | undefined): BillingEvent | null;
};
