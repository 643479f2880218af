/** "1,234", and from ten thousand on "12.3K". */
export function formatCount(count: number): string {
  if (count < 10_000) return count.toLocaleString("en");
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count);
}
