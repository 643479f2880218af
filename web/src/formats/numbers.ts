import { LOCALE } from "./locale.ts";

/** "1,234", with at most so many decimals. */
export const formatNumber = (number: number, decimals = 0): string =>
  number.toLocaleString(LOCALE, { maximumFractionDigits: decimals });

/** "1,234", and from ten thousand on "12.3K". */
export function formatCount(count: number): string {
  if (count < 10_000) return formatNumber(count);
  return new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 }).format(count);
}

/** "12.5%" of a share of 1; with its sign where it `isChange`. */
export const formatPercent = (share: number, isChange = false): string =>
  share.toLocaleString(LOCALE, {
    style: "percent",
    maximumFractionDigits: 1,
    signDisplay: isChange ? "exceptZero" : "auto",
  });
