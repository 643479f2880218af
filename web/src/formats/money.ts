import { LOCALE } from "./locale.ts";

/** How many digits a currency has behind the point: its smallest unit isn't always a hundredth. */
function digitsOf(currency: string): number {
  const format = new Intl.NumberFormat(LOCALE, { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits ?? 0;
}

/** Formats for display, in English. The amount is in the currency's smallest unit. */
export function formatMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(LOCALE, { style: "currency", currency });
  return format.format(amount / 10 ** digitsOf(currency));
}

/** An amount as it is typed, without its currency: "5" or "2.5". */
export const plainMoney = (amount: number, currency: string): string =>
  String(amount / 10 ** digitsOf(currency));

/** The amount in the currency's smallest unit, typed with a point or a comma; null if it is none. */
export function parseMoney(text: string, currency: string): number | null {
  const digits = digitsOf(currency);
  const parts = /^(\d{1,9})(?:[.,](\d*))?$/.exec(text.trim());
  if (!parts) return null;
  const [, whole = "", rest = ""] = parts;
  if (rest.length > digits) return null;
  return Number(whole + rest.padEnd(digits, "0"));
}
