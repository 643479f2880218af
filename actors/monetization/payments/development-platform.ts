import { createHmac, timingSafeEqual } from "node:crypto";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";
import { invalidSignature, signedHeaders } from "../../hooks/signatures.ts";
import type { BillingEvent, CheckoutOrder, PaymentPlatform } from "./platform.ts";

type DevelopmentSettings = {
  /** The base URL of its page, without a trailing slash. */
  pageUrl(): string;
  /** The URL to which reports are posted. */
  hookUrl(): string;
  systemKey: string;
  webhookSecret: string;
  now(): number;
};

const OPEN_MS = DAY_MS;

/** It reports in our own format. */
const refuseHook = (): never => {
  throw invalidSignature();
};

export type DevelopmentPlatform = ReturnType<typeof createDevelopmentPlatform>;

/**
 * A payment platform for development. It takes no money and stores nothing: an order is in the URL of its page. It reports by
 * signed webhooks over HTTP, like any other platform.
 */
export function createDevelopmentPlatform({ systemKey, webhookSecret, ...settings }: DevelopmentSettings) {
  const seal = (text: string) =>
    createHmac("sha256", webhookSecret).update(`checkout.${text}`).digest("base64url");

  async function report(type: string, data: Record<string, unknown>, id = newId()): Promise<void> {
    const event: BillingEvent = { id, type, created_at: new Date(settings.now()).toISOString(), data };
    const body = JSON.stringify(event);
    const headers = {
      "content-type": "application/json",
      "x-system-key": systemKey,
      ...signedHeaders(webhookSecret, id, body, settings.now()),
    };
    const signal = AbortSignal.timeout(PEER_DEADLINES_MS.payment);
    const answer = await fetch(settings.hookUrl(), { method: "POST", headers, body, signal });
    if (!answer.ok) throw new Error(`the hook was answered with ${answer.status}: ${await answer.text()}`);
  }

  const platform: PaymentPlatform = {
    reports: "ours",

    async openCheckout(order) {
      const text = Buffer.from(JSON.stringify(order)).toString("base64url");
      const token = `${text}.${seal(text)}`;
      return {
        url: order.confirm === "redirect" ? `${settings.pageUrl()}/checkout/${token}` : null,
        clientSecret: order.confirm === "in_place" ? token : null,
        expiresAt: new Date(settings.now() + OPEN_MS),
      };
    },

    /** Calls that no report confirms have no effect here: renewals happen when somebody presses the button. */
    async call(id, { kind, platformId }) {
      const [, checkout_id, about] = platformId.split(".");
      const subscription = { checkout_id, subscription_id: about, platform_id: platformId };
      if (kind === "stop") await report("subscription.cancelled", subscription, id);
      if (kind === "end") await report("subscription.expired", subscription, id);
      if (kind === "refund") await report("tip.refunded", { tip_id: about, platform_id: platformId }, id);
    },

    verifyHook: refuseHook,
    readHook: refuseHook,
  };

  return {
    ...platform,
    report,
    /** Decodes the order in a page's URL; null when its seal isn't ours. */
    orderOf(token: string): CheckoutOrder | null {
      const [text = "", given = ""] = token.split(".");
      const right = Buffer.from(seal(text));
      const seen = Buffer.from(given);
      if (seen.length !== right.length || !timingSafeEqual(seen, right)) return null;
      // The seal proves that it was written here.
      return JSON.parse(Buffer.from(text, "base64url").toString()) as CheckoutOrder;
    },
    /** The platform's id of what an order pays for. */
    nameOf: ({ checkoutId, subscriptionId, tipId }: CheckoutOrder) =>
      `dev.${checkoutId}.${subscriptionId ?? tipId ?? ""}`,
  };
}
