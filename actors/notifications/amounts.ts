/** As people write it. The amount is in the currency's smallest unit, of which not every currency has a hundred. */
export function amountOf({ amountCents, currency }: { amountCents: number; currency: string }): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const { maximumFractionDigits = 0 } = format.resolvedOptions();
  return format.format(amountCents / 10 ** maximumFractionDigits);
}
