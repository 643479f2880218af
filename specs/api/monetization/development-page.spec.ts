import { expect } from "chai";
import { givenChannels } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("The page of the development platform", () => {
  const { world } = setUpWorld();

  it("knows its own buttons alone, and says nothing of its code about an address that it can't read", async () => {
    const receiver = await givenChannels(world).user();
    const body = { to_user_id: receiver.id, amount_cents: 500, currency: "USD" };
    const url = String((await world.api.ok("createTipCheckout", { body })).checkout_url);
    const page = url.slice(0, url.lastIndexOf("/"));
    const tried = [`${url}/constructor`, `${url}/__proto__`, `${url}/toString`, `${url}/%E0%A4%A`];
    for (const address of [...tried, `${page}/%E0%A4%A`, `${page}/forged.AAAA`]) {
      for (const method of ["GET", "POST"]) {
        const answer = await fetch(address, { method });
        const shown = `${method} ${address}: ${answer.status} ${await answer.text()}`;
        expect(shown).equal(`${method} ${address}: 404 There is no such checkout.\n`);
      }
    }
    expect((await fetch(`${url}/decline`, { method: "POST" })).status).equal(200);
  });
});
