import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { createHookInbox } from "../../hooks/inbox.ts";
import type { OnAlert } from "../../hooks/metrics.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";
import { createBannedSellers } from "./banned-sellers.ts";
import { billingHooks } from "./billing-hooks.ts";
import { createPlatformCalls } from "./call-sweep.ts";
import type { Prices } from "./checkouts.ts";
import { type BillingEvent, HookUnreadable, type PaymentPlatform } from "./platform.ts";
import type { Tips } from "./tips.ts";

/** The source name of hooks and of alerts. */
const SOURCE = "billing";

/** The payment platform and the prices. */
export type PaymentSettings = {
  /** Null when none is configured; then nothing can be paid for. */
  platform: PaymentPlatform | null;
  prices: Prices;
  /** Addresses below which the pages lie that payers may come back to. */
  returnBases(): readonly string[];
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

/** Incoming reports of the payment platform, and outgoing calls to it. */
export function createBilling({ paymentSettings, onAlert, ...deps }: Deps) {
  const { platform, prices } = paymentSettings;
  const log = deps.log.child({ area: "payments" });
  const handlers = billingHooks({ ...deps, currency: prices.currency });
  const hooks = createHookInbox(SOURCE, handlers, { ...deps, log, onAlert });

  /** Takes a report whose signature has been verified. Throws `validation_failed`. */
  const report = (hookId: string, { id, type, created_at, data }: BillingEvent) =>
    hooks.receive(hookId, type, { id, createdAt: new Date(created_at), data });

  return {
    hooks,
    calls: createPlatformCalls({ ...deps, log, platform, onAlert: (what) => onAlert(SOURCE, what) }),
    bannedSellers: createBannedSellers(deps),
    platform,

    report,

    /**
     * Takes a report in the platform's own format. Throws `signature_invalid`, and alerts and throws `HookUnreadable` for one that
     * can't be read: the platform sends it again until a release can.
     */
    async reportOwn(raw: Buffer, signature: string | undefined): Promise<void> {
      try {
        const event = platform?.readHook(raw, signature);
        if (event) await report(`stripe:${event.id}`, event);
      } catch (err) {
        const isUnreadable = err instanceof HookUnreadable || isInvalid(err);
        if (!isUnreadable) throw err;
        onAlert(SOURCE, "hook_unreadable");
        throw isInvalid(err)
          ? new HookUnreadable("its amounts or ids have another form", { cause: err })
          : err;
      }
    },
  };
}

/** Of a translated report: the platform's form was right, and what it says isn't. */
const isInvalid = (err: unknown): boolean => err instanceof ServiceError && err.code === "validation_failed";
