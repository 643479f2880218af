import type { CheckoutOrder } from "../../../actors/monetization/payments/platform.ts";
import { returnAddressOf } from "../../../actors/monetization/payments/return-addresses.ts";
import { formatMoney } from "../../../base/format-money.ts";

type Shown = {
  order: CheckoutOrder;
  /** The page's own. */
  path: string;
  /** Those that come first pay, or try to; the others report what happens after that. */
  actions: readonly { name: string; label: string; isAttempt: boolean }[];
  notice: string;
  /** PUBLIC_URL, to which it leads back. */
  publicUrl: string;
};

/** Forms without a script; each posts to its action's name below the page's own path. */
export function checkoutPage({ order, path, actions, notice, publicUrl }: Shown): string {
  const { title, channel, isRecurring } = order;
  const price = `${formatMoney(order)}${isRecurring ? " a month" : ""}`;
  const formsOf = (isAttempt: boolean) =>
    actions
      .filter((action) => action.isAttempt === isAttempt)
      .map(
        ({ name, label }) =>
          `<form method="post" action="${text(path)}/${name}"><button>${text(label)}</button></form>`,
      );
  const later = formsOf(false);
  const back = channel ?? "the home page";
  const left = returnAddressOf(order, "left");
  return [
    "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Development checkout</title>",
    "<style>:root{color-scheme:light dark}body{font:1rem system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem;overflow-wrap:anywhere}form{display:inline}button{font:inherit;padding:.5rem 1rem;margin:.25rem .25rem .25rem 0}</style>",
    `<main><h1>${text(title)}</h1><p><strong>${text(price)}</strong></p><p role="status">${text(notice)}</p>`,
    ...formsOf(true),
    left === null
      ? `<p><a href="${text(publicUrl)}/${text(channel ?? "")}">Back to ${text(back)}</a></p>`
      : `<p><a href="${text(left)}">Cancel and go back</a></p>`,
    ...(later.length > 0 ? ["<h2>After it was paid</h2>", ...later] : []),
    "</main>",
    "</html>",
  ].join("\n");
}

const text = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
