import { expect } from "chai";
import { formatMoney } from "../../base/format-money.ts";

describe("An amount of money", () => {
  it("is formatted in its currency, also where that has no hundredths", () => {
    expect(formatMoney({ amountCents: 550, currency: "USD" })).equal("$5.50");
    expect(formatMoney({ amountCents: 550, currency: "JPY" })).equal("¥550");
    expect(formatMoney({ amountCents: 5_500, currency: "KWD" }).replace(/\s/, " ")).equal("KWD 5.500");
  });
});
