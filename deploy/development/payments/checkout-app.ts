/** The development checkout page: no real payments. Only outside production, on the internal port. */
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from "express";
import type { DevelopmentPlatform } from "../../../actors/monetization/payments/development-platform.ts";
import type { CheckoutOrder } from "../../../actors/monetization/payments/platform.ts";
import { returnAddressOf } from "../../../actors/monetization/payments/return-addresses.ts";
import { checkoutPage } from "./checkout-page.ts";

const NOTHING_YET = "Nothing is paid here: each button sends what a payment platform would report.";
const MAX_NOTICES = 1_000;

type Action = {
  label: string;
  report: string | null;
  /** Leads back to the page that the payer came from. */
  isLast?: true;
  data(order: CheckoutOrder, platformId: string): object;
};

const ofSubscription = ({ checkoutId, subscriptionId }: CheckoutOrder, platform_id: string) => ({
  checkout_id: checkoutId,
  subscription_id: subscriptionId,
  platform_id,
});
const payment = ({ amountCents, currency }: CheckoutOrder) => ({ amount_cents: amountCents, currency });

const ATTEMPTS: Record<string, Action> = {
  /** As a real platform: the payer may try another card, on the same page. */
  decline: { label: "Decline", report: null, data: () => ({}) },
  /** As a bank transfer that fails days later. */
  reject: {
    label: "Let the payment fail",
    report: "checkout.failed",
    isLast: true,
    data: ({ checkoutId }) => ({ checkout_id: checkoutId }),
  },
};

const PAY_ONCE: Record<string, Action> = {
  pay: {
    label: "Pay",
    report: "checkout.completed",
    isLast: true,
    data: (order, platform_id) => ({ checkout_id: order.checkoutId, platform_id, ...payment(order) }),
  },
  ...ATTEMPTS,
};

const SUBSCRIPTION: Record<string, Action> = {
  ...PAY_ONCE,
  renew: {
    label: "Renew",
    report: "subscription.renewed",
    data: (order, name) => ({ ...ofSubscription(order, name), ...payment(order) }),
  },
  fail: { label: "Let the renewal fail", report: "subscription.payment_failed", data: ofSubscription },
  cancel: { label: "Cancel", report: "subscription.cancelled", data: ofSubscription },
  resume: { label: "Don't cancel", report: "subscription.resumed", data: ofSubscription },
  end: { label: "End", report: "subscription.expired", data: ofSubscription },
};

const TIP: Record<string, Action> = {
  pay: {
    label: "Pay",
    report: "tip.completed",
    isLast: true,
    data: (order, platform_id) => ({ tip_id: order.tipId, platform_id, ...payment(order) }),
  },
  ...ATTEMPTS,
  refund: {
    label: "Refund",
    report: "tip.refunded",
    data: ({ tipId }, platform_id) => ({ tip_id: tipId, platform_id }),
  },
};

const originOf = ({ returnTo }: CheckoutOrder) => (returnTo === undefined ? "" : new URL(returnTo).origin);

const actionsOf = ({ tipId, isRecurring }: CheckoutOrder): Record<string, Action> =>
  tipId !== null ? TIP : isRecurring ? SUBSCRIPTION : PAY_ONCE;

/**
 * Each button sends the signed webhook that a platform would send. Its answer leads back to where the payer came from, or else to the
 * page, which shows what was done last.
 */
export function createDevelopmentCheckout(
  platform: DevelopmentPlatform,
  { publicUrl }: { publicUrl: string },
): express.Express {
  const app = express();
  app.disable("x-powered-by");
  /** By checkout, the newest last. */
  const notices = new Map<string, string>();

  function keep({ checkoutId }: CheckoutOrder, notice: string): void {
    notices.delete(checkoutId);
    notices.set(checkoutId, notice);
    const [oldest] = notices.keys();
    if (notices.size > MAX_NOTICES && oldest !== undefined) notices.delete(oldest);
  }

  async function press(order: CheckoutOrder, { report, label, data }: Action) {
    if (report === null) return { status: 303, notice: "Declined. Nothing was reported." };
    try {
      await platform.report(report, { ...data(order, platform.nameOf(order)) });
      return { status: 303, notice: `${label}: ${report} was reported.` };
    } catch (err) {
      return { status: 502, notice: `${label}: ${err instanceof Error ? err.message : String(err)}` };
    }
  }

  function show(res: Response, path: string, order: CheckoutOrder, notice: string): void {
    const actions = Object.entries(actionsOf(order)).map(([name, { label }]) => ({
      name,
      label,
      isAttempt: name === "pay" || name in ATTEMPTS,
    }));
    res
      .set({
        // Chromium holds a form's redirects to it as well.
        "Content-Security-Policy": `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' ${originOf(order)}`,
        "Cache-Control": "no-store",
      })
      .send(checkoutPage({ order, path, actions, notice, publicUrl }));
  }

  app.get("/checkout/:token", (req, res, next) => {
    const { token } = req.params;
    const order = platform.orderOf(token);
    if (order) show(res, `/checkout/${token}`, order, notices.get(order.checkoutId) ?? NOTHING_YET);
    else next();
  });

  app.post("/checkout/:token/:action", async (req, res, next) => {
    const { token } = req.params;
    const order = platform.orderOf(token);
    const actions = order ? actionsOf(order) : {};
    const action = Object.hasOwn(actions, req.params.action) ? actions[req.params.action] : undefined;
    if (!order || !action) {
      next();
      return;
    }
    const { status, notice } = await press(order, action);
    if (status !== 303) return show(res.status(status), `/checkout/${token}`, order, notice);
    keep(order, notice);
    // A reload sends nothing again.
    res.redirect(303, (action.isLast && returnAddressOf(order, "paid")) || `/checkout/${token}`);
  });

  const absent: RequestHandler = (_, res) =>
    void res.status(404).type("text").send("There is no such checkout.\n");
  app.use(absent);
  // A URL that can't be decoded: Express's own error page would reveal file paths.
  const unread: ErrorRequestHandler = (err, req, res, next) =>
    err instanceof URIError ? absent(req, res, next) : next(err);
  app.use(unread);
  return app;
}
