// @waits: for alerts, which stand on the screen for seconds.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { givenBilling } from "../../support/billing.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { addressOf, createOverlay, setUpOverlay } from "./open-overlay.ts";

const SOON = { withinMs: 20_000, everyMs: 20 };
const LONG = { alert_seconds: 30 };

describe("tips in an overlay", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  const opened = setUpOverlay(browser);
  let channel: Channel;
  let page: Page;
  let shown: string[] = [];

  beforeEach(async () => {
    channel = await given.channel();
  });

  async function open(settings: { alert_seconds: number }): Promise<void> {
    const overlay = await createOverlay(channel, { kind: "alerts", settings });
    ({ page, shown } = await opened(addressOf(world.baseUrl, overlay)));
  }
  /** Paid, and its text decided about. Returns its id, which its message in the chat has as well. */
  async function tip({ api }: Person, message: string): Promise<string> {
    const body = { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD", message };
    await givenBilling(world).press((await api.ok("createTipCheckout", { body })).checkout_url, "pay");
    return eventually(
      async () => {
        const { items } = await channel.owner.api.ok("listMyTips");
        const found = items.find((one) => one.message === message && one.message_state !== null);
        if (!found) throw new Error("the text isn't decided about");
        return found.id;
      },
      { what: "a tip with its text" },
    );
  }
  const until = (check: () => unknown, what: string) => eventually(check, { ...SOON, what });

  it("appear without their texts once these are gone from the chat, on the screen as well", async () => {
    const [one, two, three] = [await given.user(), await given.user(), await given.user()];
    await open({ alert_seconds: 6 });
    const first = await tip(one, "First words");
    await page.waitForSelector(".alert .message >> text=First words");
    const second = await tip(two, "Second words");
    await tip(three, "Third words");
    await channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: second } });
    await channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: three.id }, body: {} });
    await channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: first } });
    await page.waitForSelector(".alert .message", { state: "detached" });
    expect(await page.textContent(".alert")).equal(`${one.username} tipped $5.00`);
    const rest = [two, three].map(({ username }) => `${username} tipped $5.00`);
    await until(() => expect(shown).deep.equal([`${one.username} tipped $5.00First words`, ...rest]), "tips");
  });

  it("show a text that a moderator approves while they are on the screen", async () => {
    const params = channel.at;
    await channel.owner.api.ok("addBlockedTerm", { params, body: { term: "play", action: "hold" } });
    const fan = await given.user();
    await open(LONG);
    const id = await tip(fan, "What a play!");
    await page.waitForSelector(".alert");
    expect(await page.textContent(".alert")).equal(`${fan.username} tipped $5.00`);
    await channel.owner.api.ok("approveHeldMessage", { params: { ...params, held_id: id } });
    await page.waitForSelector(".alert .message >> text=What a play!");
    expect(shown).deep.equal([`${fan.username} tipped $5.00`]);
  });
});
