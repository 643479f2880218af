import { expect } from "chai";
import { amountOf } from "../../../actors/notifications/amounts.ts";

describe("An amount of money", () => {
  it("is told in its currency, also where that has no hundredths", () => {
    expect(amountOf({ amountCents: 550, currency: "USD" })).equal("$5.50");
    expect(amountOf({ amountCents: 550, currency: "JPY" })).equal("¥550");
    expect(amountOf({ amountCents: 5_500, currency: "KWD" }).replace(/\s/, " ")).equal("KWD 5.500");
  });
});
