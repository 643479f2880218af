import { LOCALE } from "./locale.ts";

/** "1,234", and from ten thousand on "12.3K". */
export function formatCount(count: number): string {
  if (count < 10_000) return count.toLocaleString(LOCALE);
  return new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 }).format(count);
}
