import { expect } from "chai";
import { movableClock } from "../../../support/clock.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

/** A text is checked against them for some milliseconds; a sender's budget is 50 at once. */
const SLOW_TERMS = Array.from({ length: 10 }, (_, i) => `a.{60}[a-z]{${i + 1}}\\w{20}!`);

/** Letters without an order, never the same. */
function textOf(i: number): string {
  let state = i + 1;
  return Array.from({ length: 250 }, () => {
    state = (state * 48_271) % 0x7fffffff;
    return String.fromCharCode(0x61 + (state % 26));
  }).join("");
}

describe("texts of visitors without an account", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock(), trustedProxies: ["127.0.0.0/8"] });

  it("charges the CPU time of a text's check to the visitor's address alone", async () => {
    const channel = await given.channel();
    for (const term of SLOW_TERMS) {
      const body = { term, is_regex: true, action: "hold" } as const;
      await channel.owner.api.ok("addBlockedTerm", { params: channel.at, body });
    }
    const tip = async (ip: string, message: string) => {
      const body = { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD", message };
      return world.api.with({ "x-forwarded-for": ip }).call("createTipCheckout", { body });
    };

    let refused = await tip("198.51.100.7", textOf(0));
    for (let i = 1; i < 200 && refused.status === 201; i++) refused = await tip("198.51.100.7", textOf(i));

    expect(refused.code).equal("rate_limited");
    expect(refused.details).include({ bucket: "chat_texts" });
    expect((await tip("203.0.113.9", "Well played!")).status).equal(201);
  });
});
