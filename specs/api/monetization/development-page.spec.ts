import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("The page of the development platform", () => {
  const { world, given } = setUpWorld();

  it("knows its own buttons alone, and says nothing of its code about an address that it can't read", async () => {
    const receiver = await given.user();
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

  const checkout = async (amount_cents: number) => {
    const receiver = await given.user();
    const body = { to_user_id: receiver.id, amount_cents, currency: "USD" };
    return { receiver, url: String((await world.api.ok("createTipCheckout", { body })).checkout_url) };
  };
  const shown = async (url: string) => (await fetch(url)).text();

  it("shows the amount as notifications do", async () => {
    expect(await shown((await checkout(100_000)).url)).include("<strong>$1,000.00</strong>");
    const yen = { checkoutId: newId(), subscriptionId: null, tipId: newId(), title: "A tip" };
    const opened = await world.payments.openCheckout({
      ...yen,
      amountCents: 550,
      currency: "JPY",
      isRecurring: false,
      confirm: "redirect",
    });
    expect(await shown(String(opened.url))).include("<strong>¥550</strong>");
  });

  it("shows what was done last when its address is opened again, and leads back to the channel", async () => {
    const { receiver, url } = await checkout(500);
    expect(await shown(url))
      .include("Nothing is paid here")
      .include(`href="https://livecore.example/${receiver.username}"`);

    const answer = await fetch(`${url}/pay`, { method: "POST", redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).deep.equal([303, new URL(url).pathname]);
    for (let time = 0; time < 2; time++) expect(await shown(url)).include("Pay: tip.completed was reported.");
  });
});
