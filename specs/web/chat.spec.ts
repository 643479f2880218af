import { expect } from "chai";
import type { Frame, Page, WebSocketRoute } from "playwright-core";
import { usersCollection } from "../../store/mongo/accounts/users.ts";
import { framed, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { contrastOfHues, groundOf, openWindow, postToFrame, postToItself, textInSight } from "./in-page.mjs";
import { servePublicFiles } from "./public-files.ts";

const HOSTILE = [
  `<img src=x onerror="top.postMessage('xss','*');alert(1)">`,
  "<script>alert(1)</script>",
  `"><svg onload=alert(1)>`,
  "javascript:alert(1)",
  "{{constructor.constructor('alert(1)')()}}",
  `<iframe srcdoc="<script>alert(1)</script>">`,
];
const PASSWORD = "a long phrase for specs";
/** Of the standard for text (WCAG 2.2, AA). */
const READABLE = 4.5;

describe("the chat inside a page of another site", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let ada: Person;
  let page: Page;
  let chat: Frame;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    browser.complaints.length = 0;
    channel = await given.channel();
    ada = await given.user();
    ({ page } = await shown(`/embed/chat/${channel.owner.username}`));
    chat = await framed(page);
    await chat.waitForSelector("text=No messages yet.");
  });
  afterEach(async () => {
    await page?.close();
    expect(browser.complaints).deep.equal([]);
  });

  const shown = (path: string, query = "") =>
    browser.foreignPage(
      (host) => `<iframe src="${world.baseUrl}${path}?parent=${host}${query}" width=340 height=500></iframe>`,
    );
  /** Signs Ada in, up to the question whether she agrees. */
  async function signInAt(popup: Page): Promise<void> {
    await popup.fill("[name=login]", ada.username);
    await popup.fill("[name=password]", PASSWORD);
    await popup.click("text=Continue");
    await popup.waitForSelector(`text=Chat as ${ada.username}?`);
  }
  /** By somebody each, as one may say one thing a second; the owner may say more. */
  const say = async (content: string, who?: Person) =>
    (who ?? (await given.user())).api.ok("sendChatMessage", { params: channel.at, body: { content } });
  const lines = () => chat.$$eval(".line .text", (all) => all.map((one) => one.textContent));
  const until = (wanted: string[]) =>
    eventually(async () => expect(await lines()).deep.equal(wanted), {
      withinMs: 5_000,
      everyMs: 20,
      what: "lines",
    });

  it("has what is sent, until it is deleted or its author is banned", async () => {
    const bob = await given.user();
    const first = await say("one", ada);
    await say("two");
    await say("three", bob);
    await until(["one", "two", "three"]);

    await channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: first.uuid } });
    await until(["two", "three"]);
    await channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: bob.id }, body: {} });
    await until(["two"]);
    await channel.owner.api.ok("clearChat", { params: channel.at });
    await until([]);
  });

  it("highlights a redemption's text with its reward, live and from the history", async () => {
    const fan = await given.followerOf(channel);
    const offer = { title: "Play <b>a song</b>", cost: 10, requires_input: true };
    const { id: reward_id } = await channel.owner.api.ok("createReward", { body: offer });
    const body = { user_input: "Blue Monday" };
    await fan.api.ok("redeemReward", { params: { reward_id }, body });
    const highlighted = () => chat.$$eval(".line.act", (all) => all.map((one) => one.textContent));
    const wanted = [`Reward: Play <b>a song</b>${fan.username}: Blue Monday`];
    await eventually(async () => expect(await highlighted()).deep.equal(wanted), { what: "the line" });
    await page.reload();
    chat = await framed(page);
    await eventually(async () => expect(await highlighted()).deep.equal(wanted), { what: "the history" });
  });

  it("has what was sent before it came", async () => {
    await say("before");
    await page.reload();
    chat = await framed(page);
    await until(["before"]);
  });

  it("takes no text for markup, in messages, names and emotes", async () => {
    await usersCollection
      .in(world.core.mongo.db)
      .updateOne({ _id: channel.owner.id }, { $set: { usernameTitle: HOSTILE[0] ?? "" } });
    for (const text of HOSTILE) await say(text);
    await until(HOSTILE);
    expect(await chat.$$eval(".line *", (all) => all.map(({ tagName }) => tagName))).not.include.members([
      "SCRIPT",
    ]);
    expect(await chat.$$(".line img, .line iframe, .line svg, .line script")).deep.equal([]);

    const other = await shown(`/embed/chat/${channel.owner.username}`);
    const frame = await framed(other.page);
    await frame.waitForSelector(".line");
    expect(await frame.$eval("[role=log]", (log) => log.getAttribute("aria-label"))).include(HOSTILE[0]);
    await other.page.close();
  });

  it("says which modes are on and how a poll stands", async () => {
    await channel.owner.api.ok("updateChatSettings", {
      params: channel.at,
      body: { slow: 5 },
    });
    await chat.waitForSelector("text=Slow mode: 5 seconds");
    await channel.owner.api.ok("createPoll", {
      params: channel.at,
      body: { question: "Tabs?", options: ["Yes", "No"], duration_sec: 60 },
    });
    await chat.waitForSelector("text=Tabs?");
    await chat.waitForSelector("text=0 votes");
  });

  it("stands still for who reads earlier messages, and says how much is new", async () => {
    for (let n = 0; n < 60; n++) await say(`line ${n}`, channel.owner);
    await chat.waitForSelector("text=line 59");
    await chat.$eval("[role=log]", (log) => log.scrollTo(0, 0));
    await chat.waitForSelector(".newest");
    const seen = await chat.evaluate(textInSight);
    await say("new one");
    await chat.waitForSelector("text=1 new message");
    expect(await chat.evaluate(textInSight)).equal(seen);

    await chat.click(".newest");
    await chat.waitForSelector("text=new one");
    expect(await chat.$(".newest")).equal(null);
  });

  for (const theme of ["light", "dark"]) {
    it(`can be read: every name has contrast in ${theme}`, async () => {
      await page.close();
      ({ page } = await shown(`/embed/chat/${channel.owner.username}`, `&theme=${theme}`));
      chat = await framed(page);
      await say("a word");
      await chat.waitForSelector(".author");
      const ground = await chat.$eval("body", groundOf);
      expect(ground).equal(theme === "light" ? "rgb(255, 255, 255)" : "rgb(21, 19, 26)");
      const contrasts = await chat.evaluate(contrastOfHues);
      expect(contrasts).length(24);
      expect(Math.min(...contrasts)).least(READABLE);
    });
  }

  it("is written in by who signs in and agrees in the service's own window", async () => {
    const opened = page.waitForEvent("popup");
    await chat.click("text=Log in to chat");
    const popup = await opened;
    await popup.fill("[name=login]", ada.username);
    await popup.fill("[name=password]", "a wrong phrase");
    await popup.click("text=Continue");
    await popup.waitForSelector("[role=alert]");
    await popup.fill("[name=password]", PASSWORD);
    await popup.click("text=Continue");
    await popup.waitForSelector(`text=Chat as ${ada.username}?`);
    expect(await popup.textContent(".site")).match(/^localhost:\d+$/);
    expect(await popup.isDisabled("text=Allow"), "a click that began elsewhere agrees to nothing").equal(
      true,
    );
    await popup.waitForSelector("button:enabled:text('Allow')");
    await popup.evaluate("dispatchEvent(new Event('blur'))");
    expect(await popup.isDisabled("text=Allow"), "a window that was covered begins anew").equal(true);
    await popup.evaluate("dispatchEvent(new Event('focus'))");
    expect(await popup.isDisabled("text=Allow"), "a click on what covered it agrees to nothing").equal(true);
    const closed = popup.waitForEvent("close");
    await popup.click("text=Allow");
    await closed;

    await chat.fill(".composer textarea", "/ban bob");
    await chat.press(".composer textarea", "Enter");
    await chat.waitForSelector("text=Commands don't work here, except /me.");
    await chat.fill(".composer textarea", "by hand");
    await chat.press(".composer textarea", "Enter");
    await until(["by hand"]);
    const { items } = await ada.api.ok("listApiTokens");
    expect(
      items.map(({ name, scopes, stream_id }) => [name.replace(/\d+$/, ""), stream_id, ...scopes]),
    ).deep.equal([["Chat on localhost:", channel.stream.id, "chat:read", "chat:send"]]);
    expect(browser.complaints.splice(0).every((one) => /401/.test(one))).equal(true);

    await ada.api.ok("deleteApiToken", { params: { token_id: items[0]?.id ?? "" } });
    await chat.waitForSelector("text=You're logged out of this chat.");
    // It asks once why its token has ended.
    await eventually(() => browser.complaints.length > 0, { withinMs: 5_000, what: "the refusal" });
    expect(browser.complaints.splice(0).every((one) => /401/.test(one))).equal(true);
    await chat.waitForSelector("text=Log in to chat");
    await say("and goes on");
    await until(["by hand", "and goes on"]);
    await browser.context.clearCookies();
  });

  it("comes again by itself when its script was gone", async () => {
    let requests = 0;
    await page.route("**/embed/assets/*", (route) =>
      requests++ < 2 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.reload();
    await eventually(
      async () => {
        chat = await framed(page);
        await chat.waitForSelector("text=No messages yet.", { timeout: 200 });
      },
      { withinMs: 10_000 },
    );
    expect(requests).equal(3);
    browser.complaints.length = 0;
  });

  it("gives up after five tries in half a minute, when caches have long forgotten the page", async () => {
    let requests = 0;
    await page.route("**/embed/assets/*", (route) => {
      requests++;
      return route.fulfill({ status: 404 });
    });
    await page.clock.install();
    await page.reload();
    let afterMs = 0;
    for (let n = 1; n <= 5; n++) {
      await eventually(() => requests === n, { withinMs: 10_000, what: `try ${n}` });
      await page.clock.runFor(1_000 * 2 ** (n - 1));
      afterMs += 1_000 * 2 ** (n - 1);
    }
    await eventually(() => requests === 6, { withinMs: 10_000 });
    await page.clock.runFor(60_000);
    expect([requests, afterMs]).deep.equal([6, 31_000]);
    await page.clock.resume();
    browser.complaints.length = 0;
    await page.unroute("**/embed/assets/*");
  });

  it("names the page that really shows it, whatever its address says", async () => {
    await page.close();
    ({ page } = await shown(`/embed/chat/${channel.owner.username}`, "&parent=fans.example"));
    const address = (await page.getAttribute("iframe", "src")) ?? "";
    const [, host = ""] = /parent=([^&]+)/.exec(address) ?? [];
    const other = address.replace(/parent=.*/, `parent=fans.example&parent=${host}`);
    await page.$eval("iframe", (frame, src) => frame.setAttribute("src", src), other);
    await eventually(async () => expect((await framed(page)).url()).equal(other), { withinMs: 5_000 });
    chat = await framed(page);
    const opened = page.waitForEvent("popup");
    await chat.click("text=Log in to chat");
    const popup = await opened;
    await popup.waitForLoadState();
    expect(new URL(popup.url()).search).equal("");
    await signInAt(popup);
    expect(await popup.textContent(".site")).equal(host);
    expect(await popup.textContent(".sign-in")).include(`${channel.owner.username}'s chat`);
    await popup.close();
    await browser.context.clearCookies();
    browser.complaints.length = 0;
  });

  it("asks for the site and channel of the chat's own message, and nothing from an address", async () => {
    const opened = page.waitForEvent("popup");
    await chat.click("text=Log in to chat");
    const popup = await opened;
    await signInAt(popup);
    const site = await popup.textContent(".site");
    const forged = { type: "livecore.chat-request", site: "fans.example", streamId: "x", channelName: "x" };
    // From the window itself, and once more from the chat: neither replaces the request that is shown.
    await popup.evaluate(postToItself, forged);
    await chat.evaluate(postToItself, forged);
    await popup.reload();
    await popup.waitForSelector(".site");
    expect(await popup.textContent(".site")).equal(site);
    await popup.goto(`${world.baseUrl}/embed/sign-in?site=fans.example`);
    await popup.waitForSelector(".site");
    expect(await popup.textContent(".site")).equal(site);
    await popup.close();
    await browser.context.clearCookies();
    browser.complaints.length = 0;
  });

  it("asks nobody for a token in a window that another site has opened", async () => {
    const opened = page.waitForEvent("popup");
    await page.evaluate(openWindow, `${world.baseUrl}/embed/sign-in?site=fans.example`);
    const popup = await opened;
    await popup.waitForSelector("text=This window belongs to a chat on another page.");
    await popup.close();
    browser.complaints.length = 0;
  });

  it("goes on for readers when a token has ended while its connection was lost", async () => {
    const { token } = await ada.api.ok("createChatToken", { body: { site: "fans.example" } });
    const opened = page.waitForEvent("popup");
    await page
      .context()
      .route("**/v1/auth/chat-tokens", (route) =>
        route.fulfill({ status: 201, json: { token, expires_at: new Date().toISOString() } }),
      );
    await page.context().route("**/v1/users/me", (route) => route.fulfill({ json: { username: "ada" } }));
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket(/./, (route) => {
      sockets.push(route);
      route.connectToServer();
    });
    await chat.click("text=Log in to chat");
    const popup = await opened;
    await popup.click("text=Allow");
    await chat.waitForSelector(".composer textarea");
    await eventually(() => sockets.length === 1, { what: "Ada's socket" });
    await page.context().unrouteAll();

    // The browser isn't notified of the end.
    await page
      .context()
      .route("**/v1/auth/ws-ticket", (route) =>
        route.fulfill({ status: 401, json: { code: "invalid_token", message: "It has ended." } }),
      );
    await sockets[0]?.close({ code: 1001 });
    await chat.waitForSelector("text=Log in to chat");
    await page.context().unrouteAll();
    await say("and goes on");
    await until(["and goes on"]);
    browser.complaints.length = 0;
  });

  it("takes no token from any other window", async () => {
    const handover = { type: "livecore.chat-token", token: "lc_pat_x", username: "eve", expiresAt: "" };
    await page.evaluate(postToFrame, handover);
    await chat.evaluate(postToItself, handover);
    await say("after it");
    await until(["after it"]);
    expect(await chat.$(".composer textarea")).equal(null);
  });

  it("is shown by no page that its address doesn't name", async () => {
    const other = await browser.foreignPage(
      () =>
        `<iframe src="${world.baseUrl}/embed/chat/${channel.owner.username}?parent=fans.example" width=340></iframe>`,
    );
    await eventually(() => browser.complaints.length > 0, { withinMs: 5_000, what: "it is refused" });
    expect(browser.complaints.join()).match(/frame-ancestors/);
    const frame = await framed(other.page);
    expect(await frame.$("#page")).equal(null);
    await other.page.close();
    browser.complaints.length = 0;
  });
});
