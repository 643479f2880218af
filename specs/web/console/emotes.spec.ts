import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { animated, image } from "../../support/images.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { servePublicFiles } from "../public-files.ts";
import { signIn } from "../signed-in.ts";
import { setUpPage } from "./set-up-page.ts";

const SOON = { withinMs: 10_000, everyMs: 20 };

describe("emotes and badges in the console", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpPage(browser);
  let channel: Channel;
  let ada: Person;
  let page: Page;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    channel = await given.channel();
    ada = await given.user();
    await signIn(browser.context, world.baseUrl, channel.owner);
    page = opened.page();
    await page.goto(`${world.baseUrl}/console/emotes`);
    await page.waitForSelector("text=Your channel has no badges of its own yet.");
  });

  const choose = (name: string, { body }: { body: Buffer }, mimeType: string) =>
    page.setInputFiles("dialog [type=file]", { name, mimeType, buffer: body });
  const add = () => page.click("dialog [type=submit]");
  const emotes = async () => (await channel.owner.api.ok("listChannelEmotes", { params: channel.at })).items;

  it("take a picture that is cut in the browser, say what its name lacks, and delete it", async () => {
    await page.click("text=Add emote");
    await add();
    await page.waitForSelector("dialog >> text=Choose a picture first.");
    await choose("logo.png", { body: Buffer.from("no picture") }, "image/png");
    await page.waitForSelector("dialog >> text=This file isn't a picture that we can read.");
    await choose("logo.png", await image("png", 300), "image/png");
    await page.waitForSelector("dialog canvas");
    await page.fill("dialog [name=name]", "not a name");
    await add();
    await page.waitForSelector("dialog >> .fault >> text=Use 2 to 32 letters, digits or underscores.");
    await page.fill("dialog [name=name]", "adaWave");
    await page.selectOption("dialog select", "2");
    await add();
    await page.waitForSelector(".chat-pictures li:has-text('adaWave') >> text=Tier 2 and higher");
    expect((await emotes())[0]).include({ name: "adaWave", min_tier: 2 });
    await page.click("text=Add emote");
    await choose("logo.png", await image("png", 300), "image/png");
    await page.fill("dialog [name=name]", "adaWave");
    await add();
    await page.waitForSelector("dialog >> text=Another emote has this name.");
    await page.keyboard.press("Escape");
    await page.click("[aria-label='Delete adaWave']");
    await page.click("dialog [type=submit]");
    await page.waitForSelector("text=Your channel has no emotes of its own yet.");
    await eventually(async () => expect(await emotes()).deep.equal([]), SOON);
  });

  it("keep an animated picture as it is", async () => {
    await page.click("text=Add emote");
    await choose("wave.gif", await animated(3), "image/gif");
    await page.waitForSelector("dialog .animated");
    await page.fill("dialog [name=name]", "adaWave");
    const [request] = await Promise.all([page.waitForRequest("**/emotes?*"), add()]);
    expect(request.headers()["content-type"]).equal("image/gif");
    await page.waitForSelector(".chat-pictures li:has-text('adaWave')");
  });

  it("are given to users and taken back", async () => {
    await page.click("text=Add badge");
    await choose("star.png", await image("png", 90), "image/png");
    await page.fill("dialog [name=name]", "Founder");
    await add();
    await page.click("[aria-label='Give Founder to someone']");
    await page.fill("dialog [name=username]", "nobody_has_this");
    await add();
    await page.waitForSelector("dialog >> text=No account has this name.");
    await page.fill("dialog [name=username]", ada.username);
    await add();
    await page.waitForSelector(`.toast:has-text("${ada.username} has Founder now.")`);
    const worn = async () =>
      (await ada.api.ok("listUserBadges", { params: { username: ada.username } })).items.map(
        ({ badge }) => badge.name,
      );
    expect(await worn()).deep.equal(["Founder"]);
    await page.fill("dialog [name=username]", ada.username);
    await page.click("dialog >> text=Take it back");
    await page.waitForSelector(`.toast:has-text("${ada.username} doesn't have Founder any more.")`);
    expect(await worn()).deep.equal([]);
  });
});
