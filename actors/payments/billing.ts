import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { createHookIntake } from "../hooks/intake.ts";
import type { OnAlert } from "../hooks/metrics.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";
import { createBannedSellers } from "./banned-sellers.ts";
import { billingHooks } from "./billing-hooks.ts";
import { createPlatformCalls } from "./call-sweep.ts";
import type { Prices } from "./payments.ts";
import type { BillingEvent, PaymentPlatform } from "./platform.ts";
import type { Tips } from "./tips.ts";

/** Of reports, and of alerts. */
const SOURCE = "billing";

/** Who takes the money, and for what. */
export type PaymentSettings = {
  /** Null where none is configured: nothing can be paid. */
  platform: PaymentPlatform | null;
  prices: Prices;
};

type Deps = {
  mongo: Mongo;
  clock: Clock;
  log: Log;
  subscriptions: Subscriptions;
  tips: Tips;
  paymentSettings: PaymentSettings;
  onAlert: OnAlert;
};

/** What comes from the payment platform, and what it is told. */
export function createBilling({ paymentSettings, onAlert, ...deps }: Deps) {
  const { platform, prices } = paymentSettings;
  const log = deps.log.child({ area: "payments" });
  const handlers = billingHooks({ ...deps, currency: prices.currency });
  const hooks = createHookIntake(SOURCE, handlers, { ...deps, log, onAlert });
  return {
    hooks,
    calls: createPlatformCalls({ ...deps, log, platform, onAlert: (what) => onAlert(SOURCE, what) }),
    bannedSellers: createBannedSellers(deps),
    platform,

    /** A report whose signature was verified. Throws `validation_failed`. */
    report: (hookId: string, { id, type, created_at, data }: BillingEvent) =>
      hooks.receive(hookId, type, { id, createdAt: new Date(created_at), data }),
  };
}
