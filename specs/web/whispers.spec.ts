// @waits: for a browser.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { whispersIn } from "../../store/mongo/chat/whispers.ts";
import { countersIn } from "../../store/mongo/driver/counters.ts";
import { inRetriedTransaction } from "../../store/mongo/driver/retried-transaction.ts";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang, plainTexts } from "./in-page.mjs";
import { signIn } from "./signed-in.ts";
import { verifyEmails } from "./verified.ts";

const HOSTILE = "<b>bold</b> & שלום";

describe("whispers of the site", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let ada: Person;
  let bob: Person;
  let page: Page;
  const complaints: string[] = [];

  beforeEach(async () => {
    [ada, bob] = [await given.user(), await given.user()];
    await verifyEmails(world, ada, bob);
    await signIn(browser.context, world.baseUrl, ada);
    page = await browser.context.newPage();
    await page.setViewportSize({ width: 1_280, height: 800 });
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });

  const open = (path = "") => page.goto(`${world.baseUrl}/whispers${path}`);
  const send = (from: Person, to: Person, content: string) =>
    from.api.ok("sendWhisper", { params: { user_id: to.id }, body: { content } });
  const lines = () => page.locator(".whispers .lines li p");
  const textsOf = () => lines().allTextContents();
  const unreadOf = async () =>
    (await ada.api.ok("listWhisperConversations")).items.reduce((sum, one) => sum + one.unread_count, 0);
  const write = async (text: string) => {
    await page.fill("[name=whisper]", text);
    await page.keyboard.press("Enter");
  };
  /** Without the limits of sending. */
  async function past(count: number): Promise<void> {
    const { db, client } = world.core.mongo;
    for (let n = 0; n < count; n++) {
      const id = await countersIn(db).take("whispers");
      const [senderId, recipientId] = n % 2 === 0 ? [ada.id, bob.id] : [bob.id, ada.id];
      const draft = { id, senderId, recipientId, content: `past ${n}`, at: new Date(world.clock.now()) };
      await inRetriedTransaction(client, (session) => whispersIn(db).add(draft, session));
    }
  }

  it("shows conversations with their newest whisper, counts what is unread, and reads what is opened in all tabs", async () => {
    await send(bob, ada, "first");
    await send(bob, ada, HOSTILE);
    await page.goto(world.baseUrl);
    await page.click('.top-bar [aria-label="Whispers, 2 unread"]');
    await page.waitForSelector(`.list li:has-text("${bob.username}") >> text="${HOSTILE}"`);
    const tab = await browser.context.newPage();
    await tab.goto(world.baseUrl);
    await tab.waitForSelector('.top-bar [aria-label="Whispers, 2 unread"]');
    await page.click(`.list a:has-text("${bob.username}")`);
    await eventually(async () => expect(await textsOf()).deep.equal(["first", HOSTILE]));
    for (const one of [page, tab]) await one.waitForSelector(".top-bar [aria-label=Whispers]");
    await tab.close();
    await eventually(async () => expect(await unreadOf()).equal(0));
  });

  it("sends by Enter, shows the answer as it comes, and counts those of other conversations", async () => {
    const carol = await given.user();
    await verifyEmails(world, carol);
    await open();
    await page.fill("[name=username]", `@${bob.username.toUpperCase()}`);
    await page.click(".start button");
    await page.waitForSelector(`text=This is the beginning of your whispers with ${bob.username}.`);
    await write("hello");
    await eventually(async () => expect(await textsOf()).deep.equal(["hello"]));
    expect(await page.inputValue("[name=whisper]")).equal("");
    await send(bob, ada, "hello yourself");
    await eventually(async () => expect(await textsOf()).deep.equal(["hello", "hello yourself"]));
    await send(carol, ada, "me too");
    await page.waitForSelector('.top-bar [aria-label="Whispers, 1 unread"]');
    await page.waitForSelector(`.list li:first-child:has-text("${carol.username}") .count`);
    await eventually(async () => expect(await unreadOf(), "of carol alone").equal(1));
  });

  it("keeps what wasn't sent with the reason, and sends it once when its answer was lost", async () => {
    await open(`/${bob.username}`);
    await page.waitForSelector("[name=whisper]");
    let losses = 0;
    await page.route(`**/v1/whispers/${bob.id}`, async (route) => {
      if (route.request().method() !== "POST" || losses++ > 0) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await write("once");
    await page.waitForSelector('.write [role=alert]:has-text("Your whisper wasn\'t sent.")');
    expect(await page.inputValue("[name=whisper]")).equal("once");
    await page.click(".write button");
    await eventually(async () => expect(await page.inputValue("[name=whisper]")).equal(""));
    const { items } = await bob.api.ok("listWhispers", { params: { user_id: ada.id } });
    expect(items.map(({ content }) => content)).deep.equal(["once"]);
    await eventually(async () => expect(await textsOf()).deep.equal(["once"]));
  });

  it("says what to do when a whisper is refused", async () => {
    const eve = await given.user();
    await signIn(browser.context, world.baseUrl, eve);
    await open(`/${bob.username}`);
    await write("let me in");
    await page.waitForSelector(".write [role=alert]:has-text('Verify your email address first.')");
    expect(await page.getAttribute(".write [role=alert] a", "href")).equal("/settings/account");
    await verifyEmails(world, eve);
    await bob.api.ok("blockUser", { params: { user_id: eve.id } });
    await write("let me in");
    await page.waitForSelector(".write [role=alert]:has-text('blocked the other')");
    expect(await page.inputValue("[name=whisper]")).equal("let me in");
  });

  it("blocks from the conversation, which leaves the list until that is taken back", async () => {
    await send(bob, ada, "hello");
    await open(`/${bob.username}`);
    await page.waitForSelector(`.list a:has-text("${bob.username}")`);
    await page.click(".conversation button:text-is('Block')");
    await page.waitForSelector(`text=You blocked ${bob.username}. Unblock to whisper again.`);
    expect(await page.locator("[name=whisper]").count()).equal(0);
    await page.waitForSelector(`.list a:has-text("${bob.username}")`, { state: "detached" });
    await page.reload();
    await page.click(".conversation button:text-is('Unblock')");
    await page.waitForSelector("[name=whisper]");
    await page.waitForSelector(`.list a:has-text("${bob.username}")`);
  });

  it("reads older whispers upwards, and stays where the reader is", async () => {
    await past(70);
    await open(`/${bob.username}`);
    await eventually(async () => expect((await textsOf()).at(-1)).equal("past 69"));
    expect(await lines().count()).equal(30);
    await page.waitForSelector(".lines li:last-child p:visible");
    const bottomOf = () => lines().last().boundingBox();
    expect((await bottomOf())?.y, "the newest is in sight").below(800);
    const top = page.locator(".lines li p", { hasText: /^past 40$/ });
    await top.scrollIntoViewIfNeeded();
    await page.locator(".lines").evaluate((element) => element.scrollTo(0, 0));
    const before = await top.boundingBox();
    await page.click("text=Show older whispers");
    await eventually(async () => expect(await lines().count()).equal(60));
    expect(Math.abs(((await top.boundingBox())?.y ?? 0) - (before?.y ?? 0))).below(60);
    await page.locator(".lines").evaluate((element) => element.scrollTo(0, 0));
    await page.click("text=Show older whispers");
    await eventually(async () => expect(await lines().count()).equal(70));
    expect(await textsOf()).deep.equal(Array.from({ length: 70 }, (_, n) => `past ${n}`));
  });

  it("shows what came while the network was away", async () => {
    await open(`/${bob.username}`);
    await page.waitForSelector("[name=whisper]");
    await browser.context.setOffline(true);
    await send(bob, ada, "meanwhile");
    await browser.context.setOffline(false);
    await eventually(async () => expect(await textsOf()).deep.equal(["meanwhile"]));
  });

  it("shows a whisper that comes while the conversation is being read", async () => {
    await send(bob, ada, "before");
    let answer: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/v1/whispers/*?*", async (route) => {
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    });
    const asked = page.waitForResponse(
      (one) => one.url().includes("/v1/whispers?") || one.url().endsWith("/v1/whispers"),
    );
    const held = page.waitForRequest("**/v1/whispers/*?*");
    await open(`/${bob.username}`);
    await Promise.all([asked, held]);
    await page.waitForSelector('.list li >> text="before"');
    await send(bob, ada, "meanwhile");
    await page.waitForSelector('.list li >> text="meanwhile"');
    answer?.();
    await eventually(async () => expect(await textsOf()).deep.equal(["before", "meanwhile"]));
  });

  it("asks for the conversations once more, however many whispers come while they are read", async () => {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    await page.route(/\/v1\/whispers(\?|$)/, async (route) => {
      asked.push(route.request().url());
      if (asked.length === 1) await new Promise<void>((resolve) => answers.push(resolve));
      await route.continue();
    });
    await open();
    await eventually(() => expect(asked).length(1));
    for (const text of ["one", "two", "three"]) await send(bob, ada, text);
    await page.waitForSelector(".top-bar");
    answers[0]?.();
    await page.waitForSelector('.list li >> text="three"');
    expect(asked.length).most(2);
  });

  it("says that a user isn't there, and that nobody whispers to themselves", async () => {
    await open("/nobody_at_all");
    await page.waitForSelector("text=User not found");
    await open(`/${ada.username}`);
    await page.waitForSelector("text=You can't whisper to yourself");
  });

  it("is a list or a conversation on a phone, and passes axe in light and dark", async () => {
    await send(bob, ada, HOSTILE);
    for (const [colorScheme, width] of [
      ["light", 1_280],
      ["dark", 360],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      for (const path of ["", `/${bob.username}`]) {
        await open(path);
        await page.waitForSelector(path === "" ? ".list li" : ".lines li");
        await page.evaluate(axe.source);
        const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
        expect(faults, `${path} ${colorScheme}`).deep.equal([]);
      }
    }
    expect(await page.isVisible(".list")).equal(false);
    await page.click("[aria-label='All whispers']");
    await page.waitForSelector(".list li");
    expect(await page.locator(".conversation").count()).equal(0);
    for (const path of ["", `/${bob.username}`]) {
      await open(`${path}?lang=pseudo`);
      await page.waitForSelector(path === "" ? ".list li" : ".lines li");
      expect([...(await page.evaluate(plainTexts)), ...(await page.evaluate(overhang))]).deep.equal([]);
    }
  });
});
