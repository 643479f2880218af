import axe from "axe-core";
import { expect } from "chai";
import type { Frame, Page } from "playwright-core";
import { OPERATOR } from "../../base/audit.ts";
import { framed, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, boxesOf } from "./in-page.mjs";

const PASSWORD = "a long phrase for specs";
const SOON = { withinMs: 5_000, everyMs: 20 };
/** A browser's own event is enough; the socket would take longer than this to find out. */
const AT_ONCE = { timeout: 3_000 };
const DRAFT = "half a thought";

describe("writing in the embedded chat", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let ada: Person;
  let page: Page;
  let chat: Frame;

  beforeEach(async () => {
    channel = await given.channel();
    ada = await given.user();
    ({ page } = await browser.foreignPage(
      (host) =>
        `<iframe src="${world.baseUrl}/embed/chat/${channel.owner.username}?parent=${host}" width=340 height=500></iframe>`,
    ));
    chat = await framed(page);
    await browser.context.request.post(`${world.baseUrl}/v1/auth/login`, {
      headers: { "X-Auth-Mode": "cookie", "X-Service-Client": "spec" },
      data: { login: ada.username, password: PASSWORD },
    });
    const popup = await openWindow();
    const closed = popup.waitForEvent("close");
    await popup.click("button:enabled:text('Allow')");
    await closed;
    await chat.waitForSelector(".composer textarea");
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.clearCookies();
  });

  async function openWindow(): Promise<Page> {
    const opened = page.waitForEvent("popup");
    await chat.click("text=Log in to chat");
    return opened;
  }
  async function send(text: string): Promise<void> {
    await chat.fill(".composer textarea", text);
    await chat.press(".composer textarea", "Enter");
  }
  /** Another one: a user may send one message a second. */
  const sendAgain = (text: string, answer: RegExp) =>
    eventually(async () => {
      await send(text);
      await chat.waitForSelector(`.why [aria-hidden]:text-matches(${JSON.stringify(answer.source)})`, {
        timeout: 300,
      });
    }, SOON);
  const says = (text: string | RegExp) =>
    eventually(async () => {
      const why = await chat.textContent(".why [aria-hidden]", { timeout: 200 });
      expect(why).match(typeof text === "string" ? new RegExp(`^${text}$`) : text);
    }, SOON);
  const saysNothing = () => chat.waitForSelector(".why", { state: "detached", timeout: SOON.withinMs });
  const settings = (body: Record<string, number | boolean | null>) =>
    channel.owner.api.ok("updateChatSettings", { params: channel.at, body });
  const ofAda = () => ({ params: { ...channel.at, user_id: ada.id } });

  it("ends its token when its user leaves, and the window offers to sign in as somebody else", async () => {
    expect((await ada.api.ok("listApiTokens")).items).length(1);
    await chat.fill(".composer textarea", DRAFT);
    await chat.click("text=Leave");
    await eventually(async () => expect((await ada.api.ok("listApiTokens")).items).deep.equal([]), SOON);

    const popup = await openWindow();
    await popup.click(`text=Not ${ada.username}? Log in as someone else`);
    await popup.waitForSelector("[name=login]:focus");
    await popup.reload();
    await popup.waitForSelector("[name=login]");
    const bob = await given.user();
    await popup.fill("[name=login]", bob.username);
    await popup.fill("[name=password]", PASSWORD);
    await popup.click("text=Continue");
    await popup.waitForSelector(`h1:focus:text("Chat as ${bob.username}?")`);
    await popup.click("button:enabled:text('Allow')");
    await chat.waitForSelector(".composer textarea:focus");
    expect(await chat.inputValue(".composer textarea")).equal("");
  });

  it("says that an account is banned, and its window leads on to another one", async () => {
    await chat.fill(".composer textarea", DRAFT);
    await world.core.accountBans.ban(ada.id, OPERATOR);
    await chat.waitForSelector("text=Your account is banned.");

    const popup = await openWindow();
    await popup.waitForSelector("text=This account is banned.");
    expect(await popup.$("text=Connecting")).equal(null);
    await popup.click("text=Use another account");
    await popup.waitForSelector("[name=login]:focus");
    await popup.close();
  });

  it("has a window that tries again when the service couldn't say who is signed in", async () => {
    await chat.click("text=Leave");
    await browser.context.route("**/v1/users/me", (route) =>
      route.fulfill({ status: 403, json: { code: "forbidden", message: "Not now." } }),
    );
    const popup = await openWindow();
    await popup.waitForSelector("text=Not now.");
    await popup.evaluate(axe.source);
    expect(await popup.evaluate(axeFaults)).deep.equal([]);
    await browser.context.unrouteAll();
    await popup.click("text=Try again");
    await popup.waitForSelector(`text=Chat as ${ada.username}?`);
    expect(await popup.evaluate(axeFaults)).deep.equal([]);
    await popup.close();
  });

  it("says at once that the network is lost, above the input, and that a message is on its way", async () => {
    await browser.context.setOffline(true);
    try {
      await chat.waitForSelector(".status:text('The connection was lost.')", AT_ONCE);
      const [status, composer] = await chat.evaluate(boxesOf, [".status", ".composer"]);
      expect(status?.bottom).most(composer?.top ?? 0);
      await send("from the tunnel");
      await chat.waitForSelector(".sending:has-text('from the tunnel')", AT_ONCE);
    } finally {
      await browser.context.setOffline(false);
    }
    await chat.waitForSelector(".line:has-text('from the tunnel')");
    await chat.waitForSelector(".sending", { state: "detached" });
    await chat.waitForSelector(".status", { state: "detached" });
  });

  it("counts characters as the service does, and keeps a text that is too long", async () => {
    await chat.fill(".composer textarea", "😀".repeat(399));
    expect(await chat.$(".length")).equal(null);
    await chat.fill(".composer textarea", "😀".repeat(500));
    await chat.waitForSelector("text=500 of 500 characters");
    await send("x".repeat(501));
    await says("Your message is 1 character too long\\.");
    expect(await chat.inputValue(".composer textarea")).length(501);
    await send("x".repeat(500));
    await chat.waitForSelector(".line .text");
    await saysNothing();
    await sendAgain("\u0001", /^Your message is empty, or has characters that can't be sent/);
  });

  it("counts a refusal's wait down, and forgets it when the mode is over", async () => {
    await settings({ slow: 90 });
    await send("one");
    await chat.waitForSelector(".line:has-text('one')");
    await sendAgain("two", /^Slow mode is on\. You can send in 1 minute (2\d|30) seconds\.$/);
    const aloud = await chat.textContent(".why [role=alert]");
    const before = await chat.textContent(".why [aria-hidden]");
    await eventually(async () => (await chat.textContent(".why [aria-hidden]")) !== before, SOON);
    expect(await chat.textContent(".why [role=alert]")).equal(aloud);
    await settings({ slow: null });
    await saysNothing();
    expect(await chat.inputValue(".composer textarea")).equal("two");
  });

  it("names the days of a followers-only mode in its bar and in its refusal", async () => {
    await settings({ followers_only: 7 * 24 * 60, slow: 90 });
    await chat.waitForSelector(".modes >> text=Followers only (7 days)");
    await chat.waitForSelector(".modes >> text=Slow mode: 1 minute 30 seconds");
    await send("one");
    await says("Only viewers who have followed for 7 days can chat\\. Follow the channel first\\.");
    await ada.api.ok("followUser", { params: { user_id: channel.owner.id } });
    await chat.press(".composer textarea", "Enter");
    await says(
      /^Only viewers who have followed for 7 days can chat\. You can in (7 days|6 days 23 hours)\.$/,
    );
  });

  it("says at once for how long its user is timed out, and that chat is off, and keeps the draft", async () => {
    await chat.fill(".composer textarea", DRAFT);
    const body = { duration_seconds: 600 };
    await channel.owner.api.ok("timeoutUser", { ...ofAda(), body });
    await says(/^You are timed out for (10 minutes|9 minutes 5\d seconds)\.$/);
    await channel.owner.api.ok("untimeoutUser", ofAda());
    await saysNothing();
    await settings({ chat_enabled: false });
    await says("Chat is turned off\\. Your text stays here\\.");
    await settings({ chat_enabled: true });
    await saysNothing();
    await channel.owner.api.ok("banUser", { ...ofAda(), body: {} });
    await says("You are banned from this chat\\.");
    expect(await chat.inputValue(".composer textarea")).equal(DRAFT);
  });

  it("clears the note about a held message once it is approved, and says when it wasn't", async () => {
    const { at, owner } = channel;
    await owner.api.ok("addBlockedTerm", { params: at, body: { term: "spoiler", action: "hold" } });
    const decide = async (operation: "approveHeldMessage" | "denyHeldMessage") => {
      const { items } = await owner.api.ok("listHeldMessages", { params: at });
      await owner.api.ok(operation, { params: { ...at, held_id: items[0]?.id ?? "" } });
    };
    await send("a spoiler");
    await says("A moderator will review your message before others can see it\\.");
    await decide("approveHeldMessage");
    await chat.waitForSelector(".line:has-text('a spoiler')");
    await saysNothing();
    await sendAgain("another spoiler", /A moderator will review your message/);
    await decide("denyHeldMessage");
    await says("Your message wasn't approved\\.");
  });

  it("takes a held message for denied when nothing was heard of it in time", async () => {
    await channel.owner.api.ok("addBlockedTerm", {
      params: channel.at,
      body: { term: "spoiler", action: "hold" },
    });
    await page.clock.install();
    await send("a spoiler");
    await says("A moderator will review your message before others can see it\\.");
    await page.clock.fastForward(311_000);
    await says("Your message wasn't approved\\.");
  });

  it("tells a moderator which commands work here", async () => {
    await send("/timeout bob");
    await says("Commands don't work here, except /me\\.");
    await channel.owner.api.ok("addModerator", ofAda());
    await eventually(async () => {
      await chat.press(".composer textarea", "Enter");
      await chat.waitForSelector("text=Moderate on the channel's page.", { timeout: 500 });
    }, SOON);
  });
});
