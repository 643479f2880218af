import {
  createDevelopmentPlatform,
  type DevelopmentPlatform,
} from "../../../actors/monetization/payments/development-platform.ts";
import type { PaymentPlatform } from "../../../actors/monetization/payments/platform.ts";
import { createStripePlatform } from "../../../actors/monetization/payments/stripe-platform.ts";
import { processClock } from "../../../base/clock.ts";
import { urlHostOf } from "../../../base/this-machine.ts";
import type { Config } from "../config/config.ts";

/** The payment platform and the prices. */
export function paymentsOf(config: Config) {
  const { currency, tierCents, returnUrl } = config.payments;
  return {
    platform: platformOf(config),
    prices: { currency, tierCents },
    returnBases: () => [config.publicUrl, returnUrl],
  };
}

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
