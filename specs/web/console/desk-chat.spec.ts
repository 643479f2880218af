// @waits: for a browser.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { axeFaults, nameOfFocused, overhang } from "../in-page.mjs";
import { type Desk, setUpDesk } from "./set-up-desk.ts";

const SOON = { withinMs: 8_000, everyMs: 20 };

describe("chat on the moderators' desk", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const ready = setUpDesk(browser, { world, given });
  let channel: Channel;
  let bob: Person;
  let page: Page;
  let open: Desk["open"];

  beforeEach(async () => {
    ({ channel, page, open } = await ready());
    bob = await given.user();
    await open(".talk >> text=No messages yet.");
  });

  const say = async (by: Person, content: string) => {
    const { status } = await by.api.call("sendChatMessage", { params: channel.at, body: { content } });
    expect(status).equal(201);
    await lineOf(content).waitFor();
  };
  const lineOf = (text: string) => page.locator(".talk .line", { hasText: text });
  const said = async () =>
    (await channel.owner.api.ok("listChatMessages", { params: channel.at })).items.map(
      ({ content }) => content,
    );
  const restrictionOf = async (user: Person) => {
    const params = { ...channel.at, user_id: user.id };
    return (await channel.owner.api.ok("getChatMember", { params })).restriction;
  };

  it("deletes, times out and bans by keys alone, on lines that stand still meanwhile", async () => {
    const alan = await given.user();
    await say(await given.user(), "first");
    await say(bob, "second");
    await say(alan, "third");
    await page.focus(".keys-of");
    await page.keyboard.press("c");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await page.keyboard.press("d");
    await page.waitForSelector(".talk .line >> text=Message deleted");
    await eventually(async () => expect(await said()).deep.equal(["", "second", "third"]), SOON);

    await say(channel.owner, "fourth");
    await page.keyboard.press("j");
    expect(await page.evaluate(nameOfFocused)).equal(bob.username);
    await page.keyboard.press("t");
    await page.waitForSelector(`dialog:has-text("Time out ${bob.username}?")`);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog", { state: "detached" });
    expect(await restrictionOf(bob)).include({ type: "timeout" });
    expect(await page.evaluate(nameOfFocused)).equal(bob.username);

    await page.keyboard.press("j");
    await page.keyboard.press("b");
    await page.waitForSelector(`dialog:has-text("Ban ${alan.username}?")`);
    await page.keyboard.type("Spam");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog", { state: "detached" });
    expect(await restrictionOf(alan)).include({ type: "ban", reason: "Spam" });
    await page.keyboard.press("Escape");
    await page.waitForSelector(".talk .newest", { state: "detached" });
  });

  it("puts a message back when its deletion didn't arrive, and says why", async () => {
    await say(bob, "stay");
    await page.route("**/messages/*", (route) => route.abort());
    await lineOf("stay").hover();
    await page.click(`[aria-label="Delete this message from ${bob.username}"]`);
    await page.waitForSelector('.toast:has-text("We can\'t reach the server.")');
    await lineOf("stay").waitFor();
    expect(await said()).deep.equal(["stay"]);
  });

  it("begins with the room's lines and the moderator's role where another panel follows the room before", async () => {
    await say(bob, "earlier");
    let answer = (): void => undefined;
    const isSubscribed = new Promise<void>((done) => {
      answer = done;
    });
    // The desk's role is read only once the socket follows the room.
    await page.route(`**/v1/chat/${channel.stream.id}`, async (route) => {
      await isSubscribed;
      await route.continue();
    });
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => String(payload).includes("subscribed") && answer()),
    );
    await page.reload();
    await lineOf("earlier").waitFor();
    await page.focus(".talk .draft textarea");
    await page.keyboard.type("/cle");
    await page.waitForSelector(".completion >> text=/clear");
  });

  it("turns shield mode on by one key at once, and off once that is confirmed", async () => {
    const isShielded = async () =>
      (await channel.owner.api.ok("getChatModes", { params: channel.at })).shield_mode;
    await page.focus(".keys-of");
    await page.keyboard.press("s");
    await page.waitForSelector("button.shield:has-text('Shield mode is on')");
    expect(await isShielded()).equal(true);
    await page.keyboard.press("s");
    await page.waitForSelector("dialog:has-text('Turn off shield mode?')");
    expect(await isShielded()).equal(true);
    await page.click("dialog >> text=Turn off >> nth=-1");
    await page.waitForSelector("button.shield[aria-pressed=false]");
    expect(await isShielded()).equal(false);
    // Letters that are typed are no keys of the desk.
    await page.focus(".talk .draft textarea");
    await page.keyboard.type("s?");
    expect(await page.locator("dialog").count()).equal(0);
    expect(await isShielded()).equal(false);
  });

  it("passes axe with a line in hand and with the list of keys, and is no wider than a phone", async () => {
    await say(bob, `<b>hi</b> שלום ${"x".repeat(200)}`);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.focus(".talk .log");
    await page.keyboard.press("ArrowUp");
    await page.evaluate(axe.source);
    expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
    await page.keyboard.press("?");
    await page.waitForSelector("dialog.all-keys");
    expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
  });
});
