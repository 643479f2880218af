import { expect } from "chai";
import type { Page } from "playwright-core";
import type { NewReward } from "../../../contract/wire.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { signIn } from "../signed-in.ts";
import { setUpPage } from "./set-up-page.ts";

const SOON = { withinMs: 10_000, everyMs: 20 };

describe("rewards in the console", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpPage(browser);
  let channel: Channel;
  let ada: Person;
  let page: Page;

  beforeEach(async () => {
    channel = await given.channel();
    ada = await given.followerOf(channel);
    await signIn(browser.context, world.baseUrl, channel.owner);
    page = opened.page();
  });

  async function open(): Promise<void> {
    await page.goto(`${world.baseUrl}/console/rewards`);
    await page.waitForSelector(".queue >> text=Nothing waits.");
  }
  const offer = (body: Partial<NewReward>) =>
    channel.owner.api.ok("createReward", { body: { title: "Hydrate", cost: 10, ...body } });
  const redeem = (reward_id: string, body: { user_input?: string } = {}) =>
    ada.api.ok("redeemReward", { params: { reward_id }, body });
  const waiting = (count: number) =>
    eventually(async () => expect(await page.locator(".queue .rows > li").count()).equal(count), SOON);
  const says = (text: string) => page.waitForSelector(`.toast:has-text("${text}")`);
  const balance = async () =>
    (await ada.api.ok("getPoints", { params: { user_id: channel.owner.id } })).balance;

  it("are added, edited, paused and deleted", async () => {
    await open();
    await page.click("text=Add reward");
    await page.fill("dialog [name=title]", "Name a boss");
    await page.fill("dialog [name=cost]", "none");
    await page.click("dialog [type=submit]");
    await page.waitForSelector("dialog >> text=Enter a whole number, 1 or more.");
    await page.fill("dialog [name=cost]", "250");
    await page.check("text=Viewers have to write something");
    await page.fill("dialog [name=cooldown]", "2");
    await page.click("dialog [type=submit]");
    await page.waitForSelector("text=250 points · Asks for a text · Once every 2 minutes");
    await page.click("[aria-label='Edit “Name a boss”']");
    expect(await page.inputValue("dialog [name=cooldown]")).equal("2");
    await page.fill("dialog [name=cost]", "300");
    await page.fill("dialog [name=cooldown]", "");
    await page.click("dialog [type=submit]");
    await page.waitForSelector("text=300 points · Asks for a text");
    await page.click("[aria-label='Pause “Name a boss”']");
    await page.waitForSelector(".rows .here:text('Paused')");
    const listed = () => channel.owner.api.ok("listRewards", { params: { user_id: channel.owner.id } });
    expect((await listed()).items[0]).include({ cost: 300, is_paused: true, cooldown_seconds: null });
    await page.click("[aria-label='Delete “Name a boss”']");
    await page.click("dialog [type=submit]");
    await page.waitForSelector("text=You have no rewards yet.");
    expect((await listed()).items).deep.equal([]);
  });

  it("say that a title is taken, and stay as they were typed", async () => {
    await offer({ title: "Hydrate" });
    await open();
    await page.click("text=Add reward");
    await page.fill("dialog [name=title]", "HYDRATE");
    await page.click("dialog [type=submit]");
    await page.waitForSelector("dialog >> text=Another reward has this title.");
    expect(await page.inputValue("dialog [name=title]")).equal("HYDRATE");
  });

  it("are redeemed into the queue at once, with what was written, and leave it when they are decided elsewhere", async () => {
    const { id } = await offer({ requires_input: true });
    await open();
    const redemption = await redeem(id, { user_input: "Bobby" });
    await page.waitForSelector(".queue li:has-text('Bobby')");
    await channel.owner.api.ok("fulfilRedemption", { params: { redemption_id: redemption.id } });
    await waiting(0);
    await page.selectOption("[aria-label=Show]", "fulfilled");
    await page.waitForSelector(".queue li:has-text('Bobby')");
  });

  it("are fulfilled and refunded many at once", async () => {
    const [water, music] = [await offer({}), await offer({ title: "Play a song", cost: 20 })];
    await open();
    for (const { id } of [water, water, music, music]) await redeem(id);
    await waiting(4);
    const before = await balance();
    await page.selectOption("[aria-label=Reward]", water.id);
    await waiting(2);
    await page.check("text=Select all");
    await page.click("text=Fulfil 2");
    await says("2 redemptions fulfilled.");
    await waiting(0);
    await page.selectOption("[aria-label=Reward]", "");
    await waiting(2);
    await page.check("text=Select all");
    await page.click("text=Refund 2");
    await page.waitForSelector("dialog >> text=Viewers get back 40 points in all.");
    await page.click("dialog [type=submit]");
    await says("2 redemptions refunded.");
    await waiting(0);
    expect(await balance()).equal(before + 40);
  });

  it("keep the place of whoever decides by keys", async () => {
    const { id } = await offer({});
    await open();
    for (let n = 0; n < 3; n++) await redeem(id);
    await waiting(3);
    await page.focus("[aria-label^='Fulfil “Hydrate”']");
    await page.keyboard.press("Enter");
    await waiting(2);
    await page.waitForSelector(".queue .rows > li:first-child:focus");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.waitForSelector("[aria-label^='Fulfil “Hydrate”']:focus");
  });

  it("say which redemptions somebody else had decided meanwhile", async () => {
    const { id } = await offer({});
    const redemption = await redeem(id);
    await page.goto(`${world.baseUrl}/console/rewards`);
    await waiting(1);
    // The page hears nothing of it before it decides itself.
    await page.route("**/v1/redemptions/bulk", async (route) => {
      await channel.owner.api.ok("refundRedemption", { params: { redemption_id: redemption.id } });
      await route.continue();
    });
    await page.click("[aria-label^='Fulfil “Hydrate”']");
    await says("1 redemption had been decided by someone else.");
    await waiting(0);
  });
});
