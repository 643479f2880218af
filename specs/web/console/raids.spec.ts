import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { signIn } from "../signed-in.ts";
import { setUpPage } from "./set-up-page.ts";

const SOON = { withinMs: 10_000, everyMs: 20 };

describe("raids and hosting in the console", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpPage(browser);
  let channel: Channel;
  let page: Page;

  beforeEach(async () => {
    channel = await given.channel();
    await signIn(browser.context, world.baseUrl, channel.owner);
    page = opened.page();
    await page.goto(`${world.baseUrl}/console/raids`);
    await page.waitForSelector("text=Your channel hosts nobody.");
  });

  const panel = (title: string) => page.locator(".panel", { has: page.locator(`h2:text-is("${title}")`) });
  async function type(title: string, username: string): Promise<void> {
    await panel(title).locator("[name=username]").fill(username);
    await panel(title).locator(".add button").click();
  }
  const named = (title: string) => panel(title).locator(".users .what").allTextContents();
  const namesAre = (title: string, usernames: string[]) =>
    eventually(async () => expect(await named(title)).deep.equal(usernames), SOON);

  it("say whose raids are accepted, also who is refused by name", async () => {
    const unwanted = await given.user();
    const { api } = channel.owner;
    await page.check(".panel >> text=Channels that you follow");
    await page.selectOption("select", "1440");
    await page.check("text=Turn on shield mode");
    await page.click(".panel >> text=Save");
    await page.waitForSelector(".toast:has-text('Saved.')");
    await type("Raids to your channel", unwanted.username);
    await namesAre("Raids to your channel", [unwanted.username]);
    const { blocked_users, ...settings } = await api.ok("getRaidSettings");
    expect(settings).deep.equal({
      accept_from: "followed",
      min_follow: 1_440,
      blocked_user_ids: [unwanted.id],
      host_after: false,
      shield_on_arrival: true,
    });
    expect(blocked_users.map(({ id }) => id)).deep.equal([unwanted.id]);
    await page.reload();
    expect(await page.isChecked(".panel >> text=Channels that you follow")).equal(true);
    await page.click(`[aria-label='Remove ${unwanted.username}']`);
    await namesAre("Raids to your channel", []);
    expect((await api.ok("getRaidSettings")).accept_from).equal("followed");
  });

  it("keep both of two changes of which the second is made before the first is answered", async () => {
    const [one, two] = [await given.user(), await given.user()];
    await type("Raids to your channel", one.username);
    await namesAre("Raids to your channel", [one.username]);
    const held: (() => Promise<void>)[] = [];
    await page.route("**/raid-settings", async (route) => {
      if (held.length > 0 || route.request().method() !== "PUT") await route.continue();
      else held.push(() => route.continue());
    });
    await page.click(`[aria-label='Remove ${one.username}']`);
    await type("Raids to your channel", two.username);
    await page.check(".panel >> text=Nobody");
    await page.click(".panel >> text=Save");
    await eventually(() => expect(held.length).equal(1), SOON);
    for (const go of held) await go();
    await namesAre("Raids to your channel", [two.username]);
    await page.waitForSelector(".toast:has-text('Saved.')");
    const settings = await channel.owner.api.ok("getRaidSettings");
    expect(settings).deep.include({ accept_from: "nobody", blocked_user_ids: [two.id] });
  });

  it("host a channel that is live, and stop it", async () => {
    const [offline, live] = [await given.channel(), await given.liveChannel()];
    await type("Hosting", offline.owner.username);
    await page.waitForSelector("text=This channel isn't live. Try one that is.");
    await type("Hosting", live.owner.username);
    await page.waitForSelector(`.hosted:has-text("Your channel hosts ${live.owner.username}")`);
    await page.click("text=Stop hosting");
    await page.waitForSelector("text=Your channel hosts nobody.");
  });

  it("keep the order in which channels are hosted by themselves", async () => {
    const [one, two] = [await given.user(), await given.user()];
    const title = "Host automatically";
    await type(title, one.username);
    await namesAre(title, [one.username]);
    await type(title, two.username);
    await namesAre(title, [one.username, two.username]);
    await page.click(`[aria-label='Move ${two.username} up']`);
    await namesAre(title, [two.username, one.username]);
    expect((await channel.owner.api.ok("getAutoHost")).user_ids).deep.equal([two.id, one.id]);
    await type(title, channel.owner.username);
    await panel(title).locator(".fault").waitFor();
    await namesAre(title, [two.username, one.username]);
  });

  it("leave a hosted channel at the top when it is moved up twice from the second place", async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => given.user()));
    await channel.owner.api.ok("setAutoHost", { body: { user_ids: users.map(({ id }) => id) } });
    await page.reload();
    const [first, second, ...others] = users.map(({ username }) => username);
    const title = "Host automatically";
    await namesAre(title, [first, second, ...others].map(String));
    await page.dblclick(`[aria-label='Move ${second} up']`);
    await namesAre(title, [second, first, ...others].map(String));
    // Once both changes are stored.
    await type(title, channel.owner.username);
    await panel(title).locator(".fault").waitFor();
    const { user_ids } = await channel.owner.api.ok("getAutoHost");
    expect(user_ids).deep.equal([users[1], users[0], ...users.slice(2)].map((user) => user?.id));
  });
});
