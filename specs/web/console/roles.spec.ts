import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../../support/chromium.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { signIn } from "../signed-in.ts";
import { setUpPage } from "./set-up-page.ts";

describe("roles in the console", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpPage(browser);
  let channel: Channel;
  let ada: Person;
  let page: Page;

  beforeEach(async () => {
    channel = await given.channel();
    ada = await given.user();
    await signIn(browser.context, world.baseUrl, channel.owner);
    page = opened.page();
    await page.goto(`${world.baseUrl}/console/roles`);
    await page.waitForSelector("text=You have no VIPs yet.");
  });

  const panel = (title: string) => page.locator(".panel", { has: page.locator(`h2:text-is("${title}")`) });
  async function add(title: string, username: string): Promise<void> {
    await panel(title).locator("[name=username]").fill(username);
    await panel(title).locator("button:text('Add')").click();
  }
  const moderators = async () =>
    (await channel.owner.api.ok("listModerators", { params: channel.at })).items.map(({ id }) => id);

  it("are given to users by their names, and taken again", async () => {
    await add("Moderators", `@${ada.username.toUpperCase()}`);
    await page.waitForSelector(`.toast:has-text("${ada.username} is a moderator now.")`);
    expect(await moderators()).deep.equal([ada.id]);
    await page.reload();
    await page.click(`[aria-label='Remove ${ada.username} from the moderators']`);
    await page.waitForSelector("text=You have no moderators yet.");
    await page.waitForSelector(`.toast:has-text("${ada.username} isn't a moderator any more.")`);
    expect(await moderators()).deep.equal([]);
  });

  it("say why nobody has one now", async () => {
    await add("VIPs", "nobody_has_this");
    await panel("VIPs").locator("text=No account has this name.").waitFor();
    await add("VIPs", channel.owner.username);
    await panel("VIPs").locator(".fault:not(:has-text('No account'))").waitFor();
    expect(await panel("VIPs").locator(".rows").count()).equal(0);
  });
});
