// @waits: for alerts, which stand on the screen for seconds.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { CreatedOverlay } from "../../../contract/wire.ts";
import { givenBilling } from "../../support/billing.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { setUpPage } from "../console/set-up-page.ts";
import { hostileText, pageWith } from "../hostile-text.ts";
import { animationsEnd, axeFaults, cutOff } from "../in-page.mjs";
import { addressOf, createOverlay, setUpOverlay } from "./open-overlay.ts";

const SOON = { withinMs: 20_000, everyMs: 20 };
/** Longer than an alert takes to be there after its read. */
const SOME_MS = 500;

describe("what an overlay shows", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const ready = setUpPage(browser);
  const opened = setUpOverlay(browser);
  let channel: Channel;
  let page: Page;

  beforeEach(async () => {
    channel = await given.channel();
    page = ready.page();
  });

  async function open(
    kind: CreatedOverlay["kind"],
    settings: Partial<CreatedOverlay["settings"]> = {},
  ): Promise<void> {
    const overlay = await createOverlay(channel, { kind, settings });
    await page.goto(addressOf(world.baseUrl, overlay));
    await page.waitForSelector(".overlay");
  }
  const until = (check: () => unknown, what: string) => eventually(check, { ...SOON, what });

  const texts = {
    async chat() {
      const content = hostileText("said", 500);
      await channel.owner.api.ok("sendChatMessage", { params: channel.at, body: { content } });
    },
    async alerts() {
      const tip = {
        id: "tip:1",
        kind: "tip",
        user: null,
        amount_cents: 500,
        currency: "USD",
        is_test: false,
      };
      const created_at = new Date(Date.now() + 1_000).toISOString();
      const alerts = [{ ...tip, created_at, message: hostileText("tip", 255) }];
      const json = { server_time: new Date().toISOString(), alerts };
      await page.route("**/v1/overlay/alerts", (route) => route.fulfill({ json }));
    },
    async prediction() {
      const outcomes = ["y", "n"].map((title) => ({ title: title.repeat(25) }));
      const body = { title: hostileText("guess", 45), outcomes, duration_seconds: 300 };
      await channel.owner.api.ok("createPrediction", { params: channel.at, body });
    },
    async poll() {
      const options = ["y", "n"].map((text) => text.repeat(25));
      const body = { question: hostileText("poll", 60), options, duration_sec: 300 };
      await channel.owner.api.ok("createPoll", { params: channel.at, body });
    },
  };
  for (const [kind, of] of [
    ["chat", "said"],
    ["alerts", "tip"],
    ["prediction", "guess"],
    ["poll", "poll"],
  ] as const)
    it(`passes axe with hostile texts in ${kind}, of which nothing is cut off at a side`, async () => {
      await texts[kind]();
      await open(kind, { alert_seconds: 30 });
      await page.waitForSelector(pageWith(of));
      await page.evaluate(animationsEnd);
      await page.evaluate(axe.source);
      const found: string[] = [];
      for (const width of [800, 360]) {
        await page.setViewportSize({ width, height: 600 });
        const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(cutOff))];
        found.push(...faults.map((fault) => `${width}: ${fault}`));
      }
      expect(found).deep.equal([]);
    });

  it("is one alert for several gifts of a giver, once", async () => {
    const overlay = await createOverlay(channel, { kind: "alerts", settings: { alert_seconds: 6 } });
    const receivers = [await given.user(), await given.user(), await given.user()];
    const { page: alerts, shown } = await opened(addressOf(world.baseUrl, overlay));
    const shownUntil = (wanted: string[]) => until(() => expect(shown).deep.equal(wanted), "alerts");
    const fan = await given.followerOf(channel);
    const followed = `${fan.username} followed`;
    await shownUntil([followed]);
    for (const { id } of receivers) {
      const body = { channel_user_id: channel.owner.id, tier: 2, gift_to_user_id: id } as const;
      const { checkout_url } = await fan.api.ok("createSubscriptionCheckout", { body });
      await givenBilling(world).press(checkout_url, "pay");
    }
    const gifted = `${fan.username} gifted 3 subscriptions (Tier 2)`;
    await shownUntil([followed, gifted]);
    await alerts.reload();
    const last = await given.followerOf(channel);
    await shownUntil([followed, gifted, `${last.username} followed`]);
  });

  // The last one: the browser keeps its clock for all pages that follow.
  it("is each alert for as many seconds as were chosen", async () => {
    await page.clock.install();
    const read = page.waitForResponse(/\/v1\/overlay\/alerts$/);
    await open("alerts", { alert_seconds: 9 });
    await read;
    await page.clock.pauseAt(Date.now() + 1_000);
    await given.followerOf(channel);
    const alert = page.locator(".alert");
    await until(async () => {
      await page.clock.runFor(50);
      expect(await alert.count()).equal(1);
    }, "the alert");
    await page.clock.runFor(9_000 - SOME_MS);
    expect(await alert.getAttribute("data-leaving")).equal("false");
    await page.clock.runFor(SOME_MS);
    expect(await alert.getAttribute("data-leaving")).equal("true");
    await page.clock.runFor(SOME_MS);
    expect(await alert.count()).equal(0);
  });
});
