// @waits: for a browser to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { usersCollection } from "../../store/mongo/accounts/users.ts";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang } from "./in-page.mjs";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";

const SOON = { withinMs: 5_000, everyMs: 20 };

describe("user card of a chat", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let ada: Person;
  let bob: Person;
  let page: Page;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    channel = await given.channel();
    ada = await given.user();
    bob = await given.followerOf(channel);
    await bob.api.ok("sendChatMessage", { params: channel.at, body: { content: "hello <b>there</b>" } });
    page = await browser.context.newPage();
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
  });

  async function open(reader: Person | null): Promise<void> {
    if (reader) await signIn(browser.context, world.baseUrl, reader);
    await page.goto(`${world.baseUrl}/${channel.owner.username}`);
    await page.click(`.line button.author:has-text("${bob.username}")`);
    await page.waitForSelector(".user-card .recent li");
  }
  const press = (text: string) => page.click(`.user-card button:text-is("${text}")`);
  const says = (text: string) => page.waitForSelector(`.user-card .outcome:has-text("${text}")`);
  const memberOf = () =>
    channel.owner.api.ok("getChatMember", { params: { ...channel.at, user_id: bob.id } });

  it("shows who writes, their follow and recent messages, and gives the focus back to the name", async () => {
    await open(ada);
    expect(await page.textContent(".user-card h2")).equal(bob.username);
    expect(await page.locator(".user-card .recent .text").allTextContents()).deep.equal([
      "hello <b>there</b>",
    ]);
    await page.waitForSelector(".user-card header >> text=Follows this channel since");
    expect(await page.locator(".user-card .moderate").count()).equal(0);
    await page.keyboard.press("Escape");
    await page.waitForSelector(".user-card", { state: "detached" });
    expect(await page.evaluate("document.activeElement.dataset.act")).equal("card");
  });

  it("passes axe and fits a phone, for moderators, in light and dark", async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await open(channel.owner);
    await page.waitForSelector(".user-card .moderate legend");
    await page.evaluate(axe.source);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
    }
    await page.setViewportSize({ width: 1_000, height: 600 });
  });

  it("whispers, says why that was refused, and sends once what is sent again after a 503", async () => {
    await open(ada);
    await press("Whisper");
    await page.fill(".whisper textarea", "psst");
    await press("Send whisper");
    await says("Verify your email address first.");
    await usersCollection
      .in(world.core.mongo.db)
      .updateOne({ _id: ada.id }, { $set: { emailVerifiedAt: new Date() } });
    const path = `**/v1/whispers/${bob.id}`;
    const details = { retry_after_ms: 1 };
    await page.route(path, async (route) => {
      await route.fetch();
      await route.fulfill({ status: 503, json: { code: "unavailable", message: "", details } });
    });
    await press("Send whisper");
    await says("busy");
    await page.unroute(path);
    await press("Send whisper");
    await says(`Whisper sent to ${bob.username}.`);
    const { items } = await bob.api.ok("listWhispers", { params: { user_id: ada.id } });
    expect(items.map(({ content }) => content)).deep.equal(["psst"]);
  });

  it("blocks its user, knows that later, and takes it back", async () => {
    await open(ada);
    const blocked = async () => (await ada.api.ok("listMyBlocks")).items.map(({ id }) => id);
    await press("Block");
    await says(`You blocked ${bob.username}.`);
    expect(await blocked()).deep.equal([bob.id]);
    await open(null);
    await press("Unblock");
    await says(`You unblocked ${bob.username}.`);
    expect(await blocked()).deep.equal([]);
  });

  it("lets a moderator time out, ban and delete", async () => {
    const moderator = await given.moderatorOf(channel);
    await open(moderator);
    await page.waitForSelector("text=Follows this channel since");
    await press("Delete message");
    await says("The message is deleted.");
    for (const text of ["Delete message", "Pin message", "Report message", "Reply"])
      await page.waitForSelector(`.user-card button:text-is("${text}")`, { state: "detached" });
    expect(await page.evaluate("document.activeElement.className")).equal("moderate");
    await page.waitForSelector(".user-card .recent >> text=No messages here yet.");
    await press("10 minutes");
    await says(`${bob.username} is timed out for 10 minutes.`);
    expect((await memberOf()).restriction?.type).equal("timeout");
    await press("End timeout");
    await says(`${bob.username} can chat again.`);
    await press("Ban");
    await says(`${bob.username} is banned.`);
    expect((await memberOf()).restriction?.type).equal("ban");
    await press("Unban");
    await says(`You unbanned ${bob.username}.`);
    expect(await page.locator(".user-card >> text=Make VIP").count(), "for the owner alone").equal(0);
  });

  it("lets the owner give and take roles", async () => {
    await open(channel.owner);
    await press("Make VIP");
    await says(`The role of ${bob.username} has changed.`);
    expect((await memberOf()).role).equal("vip");
    await press("Make moderator");
    await page.waitForSelector(".user-card >> text=Remove moderator");
    await press("Remove moderator");
    await page.waitForSelector(".user-card >> text=Make moderator");
    expect((await memberOf()).role).equal(null);
  });

  it("shows moderators no acts against the owner", async () => {
    const moderator = await given.moderatorOf(channel);
    await channel.owner.api.ok("sendChatMessage", { params: channel.at, body: { content: "mine" } });
    await signIn(browser.context, world.baseUrl, moderator);
    await page.goto(`${world.baseUrl}/${channel.owner.username}`);
    await page.click(`.line button.author:has-text("${channel.owner.username}")`);
    await page.waitForSelector(".user-card .moderate >> text=Broadcaster");
    expect(await page.locator(".user-card >> text=Ban").count()).equal(0);
  });

  describe("report", () => {
    it("sends a message's report with its reason and details, and says so", async () => {
      // A message can be reported once it is stored.
      await eventually(async () => expect((await memberOf()).messages).length(1), SOON);
      await open(ada);
      await press("Report message");
      expect(await page.textContent(".dialog h2")).equal(`Report a message from ${bob.username}`);
      await page.click("text=Send report");
      expect(await page.isVisible(".dialog"), "without a reason").equal(true);
      await page.click("text=Harassment");
      await page.fill(".dialog textarea", "in the chat");
      await page.click("text=Send report");
      await page.waitForSelector(".toasts:has-text('Your report was sent to the staff.')");
      const { items } = await ada.api.ok("listMyReports");
      expect(
        items.map(({ target_type, reason_code, details }) => [target_type, reason_code, details]),
      ).deep.equal([["chat_message", "harassment", "in the chat"]]);
    });

    it("reports a channel from its header, and keeps what was typed when it is refused", async () => {
      await signIn(browser.context, world.baseUrl, ada);
      await page.goto(`${world.baseUrl}/${channel.owner.username}`);
      await page.route("**/v1/reports", (route) =>
        route.fulfill({ status: 429, json: { code: "rate_limited", message: "Slow down.", details: {} } }),
      );
      await page.click(".channel-header >> text=Report");
      await page.click("text=Something else");
      await page.fill(".dialog textarea", "stolen pictures");
      await page.click("text=Send report");
      await page.waitForSelector(".dialog [role=alert]:has-text('Slow down.')");
      expect(await page.inputValue(".dialog textarea")).equal("stolen pictures");
      await page.unroute("**/v1/reports");
      await page.click("text=Send report");
      await page.waitForSelector(".dialog", { state: "detached" });
      const { items } = await ada.api.ok("listMyReports");
      expect(items.map(({ target_type, target_id }) => [target_type, target_id])).deep.equal([
        ["stream", channel.stream.id],
      ]);
    });

    it("is closed by Escape without a report", async () => {
      await open(ada);
      await press("Report");
      await page.waitForSelector(".dialog");
      await page.keyboard.press("Escape");
      await page.waitForSelector(".dialog", { state: "detached" });
      expect((await ada.api.ok("listMyReports")).items).deep.equal([]);
    });
  });
});
