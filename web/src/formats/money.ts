/** Formats for display, in English. The amount is in the currency's smallest unit, which isn't always a hundredth. */
export function formatMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const { maximumFractionDigits = 0 } = format.resolvedOptions();
  return format.format(amount / 10 ** maximumFractionDigits);
}
