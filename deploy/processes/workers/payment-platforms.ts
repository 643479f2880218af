import {
  createDevelopmentPlatform,
  type DevelopmentPlatform,
} from "../../../actors/monetization/payments/development-platform.ts";
import type { PaymentPlatform } from "../../../actors/monetization/payments/platform.ts";
import { createStripePlatform } from "../../../actors/monetization/payments/stripe-platform.ts";
import { processClock } from "../../../base/clock.ts";
import { urlHostOf } from "../../../base/this-machine.ts";
import type { Config } from "../config/config.ts";

type Payments = Pick<Config["payments"], "currency" | "tierCents" | "returnUrl">;

/** The payment platform, the prices, and where payers may return to. */
export const paymentsOf = (config: Config) => paymentsBy(platformOf(config), config);

export const paymentsBy = (
  platform: PaymentPlatform | null,
  { publicUrl, payments }: Pick<Config, "publicUrl"> & { payments: Payments },
) => ({
  platform,
  prices: { currency: payments.currency, tierCents: payments.tierCents },
  returnBases: () => [publicUrl, payments.returnUrl],
});

function platformOf(config: Config): PaymentPlatform | null {
  const { stripe, returnUrl } = config.payments;
  if (!stripe) return developmentPlatformOf(config);
  return createStripePlatform({
    secretKey: stripe.secretKey.reveal(),
    webhookSecrets: stripe.webhookSecrets.map((secret) => secret.reveal()),
    returnUrl,
  });
}

/** Null in production, and where Stripe is configured. */
export function developmentPlatformOf(config: Config): DevelopmentPlatform | null {
  const { keys, webhookSecrets } = config.secrets.peers.billing;
  const [[systemKey], [webhookSecret]] = [keys, webhookSecrets];
  const hasSecrets = systemKey && webhookSecret;
  if (config.env === "production" || config.payments.stripe || !hasSecrets) return null;
  return createDevelopmentPlatform({
    pageUrl: () => `http://${urlHostOf(config.metrics.host)}:${config.metrics.port}`,
    hookUrl: () => `http://${config.http.host ?? "127.0.0.1"}:${config.http.port}/v1/webhooks/billing`,
    systemKey: systemKey.reveal(),
    webhookSecret: webhookSecret.reveal(),
    now: processClock.now,
  });
}
