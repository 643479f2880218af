import type { CheckoutOrder } from "../../../actors/monetization/payments/platform.ts";

/** Forms without a script; each posts to its action's name below the page's own path. */
export function checkoutPage(
  { title, amountCents, currency, isRecurring }: CheckoutOrder,
  path: string,
  actions: readonly { name: string; label: string }[],
  notice: string,
): string {
  const price = `${(amountCents / 100).toFixed(2)} ${currency}${isRecurring ? " a month" : ""}`;
  const forms = actions.map(
    ({ name, label }) =>
      `<form method="post" action="${text(path)}/${name}"><button>${text(label)}</button></form>`,
  );
  return [
    "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Development checkout</title>",
    "<style>:root{color-scheme:light dark}body{font:1rem system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}form{display:inline}button{font:inherit;padding:.5rem 1rem;margin:.25rem}</style>",
    `<h1>${text(title)}</h1><p><strong>${text(price)}</strong></p><p>${text(notice)}</p>`,
    ...forms,
    "</html>",
  ].join("\n");
}

const text = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
