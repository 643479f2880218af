import { expect } from "chai";
import type { Frame, Page } from "playwright-core";
import { framed, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { type Authenticator, givenTwoFactor } from "../support/two-factor.ts";

const PASSWORD = "a long phrase for specs";
/** How many codes a sign-in takes. */
const TRIES = 5;

describe("the sign-in window of the embedded chat", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let ada: Person;
  let page: Page;
  let chat: Frame;

  beforeEach(async () => {
    [channel, ada] = [await given.channel(), await given.user()];
    ({ page } = await browser.foreignPage(
      (host) =>
        `<iframe src="${world.baseUrl}/embed/chat/${channel.owner.username}?parent=${host}" width=340 height=500></iframe>`,
    ));
    chat = await framed(page);
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.clearCookies();
  });

  const fromAnotherTab = (operation: "login" | "logout", data = {}) =>
    browser.context.request.post(`${world.baseUrl}/v1/auth/${operation}`, {
      headers: { "X-Auth-Mode": "cookie", "X-Service-Client": "spec" },
      data,
    });
  const logIn = ({ username }: Person) => fromAnotherTab("login", { login: username, password: PASSWORD });
  async function openWindow(): Promise<Page> {
    const opened = page.waitForEvent("popup");
    await chat.click("text=Log in to chat");
    return opened;
  }
  const allow = (popup: Page) => popup.click("button:enabled:text('Allow')");
  const tokensOf = async ({ api }: Person) => (await api.ok("listApiTokens")).items.length;

  it("asks again when another account has signed in since, and makes no token in its name", async () => {
    const ben = await given.user();
    await logIn(ada);
    const popup = await openWindow();
    await popup.waitForSelector(`text=Chat as ${ada.username}?`);
    await logIn(ben);
    await allow(popup);
    await popup.waitForSelector(`[role=alert]:text("You're logged in as ${ben.username} now.")`);
    await popup.waitForSelector(`h1:focus:text("Chat as ${ben.username}?")`);
    expect(await popup.isDisabled("text=Allow"), "the new question takes a while to read").equal(true);
    expect([await tokensOf(ada), await tokensOf(ben)]).deep.equal([0, 0]);

    const closed = popup.waitForEvent("close");
    await allow(popup);
    await closed;
    await chat.waitForSelector(`[aria-label="Send a message as ${ben.username}"]`);
    await chat.fill(".composer textarea", "hello");
    await chat.press(".composer textarea", "Enter");
    await chat.waitForSelector(`.line:has-text("hello") .author:text("${ben.username}")`);
  });

  it("lets pages of the site that are open beside it show whom it signs in", async () => {
    const ben = await given.user();
    await logIn(ada);
    const beside = await browser.context.newPage();
    await beside.goto(`${world.baseUrl}/settings/profile`);
    const shows = ({ username }: Person) =>
      eventually(async () => expect(await beside.inputValue("[name=username_title]")).equal(username));
    await shows(ada);
    const popup = await openWindow();
    await popup.click(`text=Not ${ada.username}?`);
    await beside.waitForSelector("main a:text('Log in')");
    await popup.fill("[name=login]", ben.username);
    await popup.fill("[name=password]", PASSWORD);
    await popup.click("text=Continue");
    await shows(ben);
    await popup.close();
    await beside.close();
  });

  it("asks for the password when another tab has signed out since", async () => {
    await logIn(ada);
    const popup = await openWindow();
    await popup.waitForSelector(`text=Chat as ${ada.username}?`);
    await fromAnotherTab("logout");
    await allow(popup);
    await popup.waitForSelector(`[role=alert]:text("${ada.username} is logged out.")`);
    await popup.waitForSelector("[name=login]:focus");
    await popup.close();
  });

  describe("with a second factor", () => {
    let popup: Page;
    let authenticator: Authenticator;

    beforeEach(async () => {
      authenticator = await givenTwoFactor(world.core, ada.api);
      popup = await openWindow();
      await popup.fill("[name=login]", ada.username);
      await popup.fill("[name=password]", PASSWORD);
      await popup.click("text=Continue");
      await popup.waitForSelector("[name=code]");
    });
    afterEach(() => popup.close());

    async function enter(code: string): Promise<void> {
      await popup.fill("[name=code]", code);
      await popup.click("button:enabled:text('Continue')");
      await popup.waitForSelector("[role=alert]");
    }

    it("leads back to the password after too many wrong codes", async () => {
      for (let n = 0; n < TRIES; n++) {
        await enter("000000");
        expect(await popup.$("[name=code]")).not.equal(null);
      }
      await enter("000000");
      await popup.waitForSelector("[role=alert]:has-text('Start again.')");
      await popup.waitForSelector("[name=login]:focus");
    });

    it("leads back to the password when the account was banned since", async () => {
      const users = world.core.mongo.db.collection<{ _id: string }>("users");
      await users.updateOne({ _id: ada.id }, { $set: { status: "banned" } });
      await enter(authenticator.recoveryCodes[0] ?? "");
      await popup.waitForSelector("[role=alert]:text('This account is banned.')");
      await popup.waitForSelector("[name=login]:focus");
    });
  });
});
