// @waits: for a browser.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { type Desk, setUpDesk } from "./set-up-desk.ts";

const SOON = { withinMs: 8_000, everyMs: 20 };
const READY = ".log-panel .rows >> text=Made moderator";

describe("acts on members from the moderators' desk", function () {
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
  });

  const ofBob = () => ({ ...channel.at, user_id: bob.id });
  async function openCard(): Promise<void> {
    await page.click(`.talk .author:text-is("${bob.username}") >> nth=-1`);
    await page.waitForSelector(".member-card .choices >> text=Time out");
  }
  /** Once bob may: one message a second. Its id. */
  const say = (content: string) =>
    eventually(
      async () => (await bob.api.ok("sendChatMessage", { params: channel.at, body: { content } })).uuid,
      { withinMs: 5_000, everyMs: 200 },
    );
  const inForce = async () => (await channel.owner.api.ok("getChatMember", { params: ofBob() })).restriction;

  it("let nobody back by a key that was meant for the button before it, nor without a question", async () => {
    await say("hello there");
    await open(READY);
    await openCard();
    await page.focus(".member-card .choices button:text-is('Ban')");
    await channel.owner.api.ok("banUser", { params: ofBob(), body: {} });
    await page.waitForSelector(".member-card .choices >> text=Unban");
    await page.keyboard.press("Enter");
    await page.click(".member-card .choices >> text=Unban");
    await page.waitForSelector(`dialog:has-text("Unban ${bob.username}?")`);
    expect((await inForce())?.type).equal("ban");
    await page.click("dialog:not(.member-card) button:text-is('Unban')");
    await page.waitForSelector(".member-card .facts >> text=Can chat");
  });

  it("delete the messages of a card one by one, each by its own press, though more come meanwhile", async () => {
    const [first, second] = [await say("one"), await say("two")];
    await open(READY);
    const asked: string[] = [];
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((done) => {
      answer = done;
    });
    await page.route("**/messages/*", async (route) => {
      asked.push(route.request().url().split("/").at(-1) ?? "");
      await isAnswered;
      await route.continue();
    });
    await openCard();
    const row = (text: string) => page.locator(".member-card .said li", { hasText: text });
    await row("two").locator("button").hover();
    await say("three");
    await page.waitForSelector(".member-card .heading >> text=1 new message");
    await page.mouse.down();
    await page.mouse.up();
    await row("one").locator("button").click();
    await eventually(() => expect(asked).deep.equal([second, first]), SOON);
    answer();
    await page.waitForSelector(".member-card .said li:nth-child(2) >> text=Message deleted");
    await page.mouse.move(0, 0);
    await page.focus(".member-card .shut");
    await row("three").waitFor();
  });

  it("keep what is in force, with its end and its reason, where nothing else is chosen", async () => {
    await open(READY);
    await say("hello there");
    await page.waitForSelector(".talk .line >> text=hello there");
    const body = { duration_seconds: 3_600, reason: "Spam" };
    await channel.owner.api.ok("timeoutUser", { params: ofBob(), body });
    await page.waitForSelector(".talk .line >> text=Message deleted");
    const before = await inForce();
    await page.focus(".keys-of");
    for (const key of ["c", "ArrowUp", "t"]) await page.keyboard.press(key);
    await page.waitForSelector("dialog .lengths");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog", { state: "detached" });
    expect([before?.reason, await inForce()]).deep.equal(["Spam", before]);
    await channel.owner.api.ok("banUser", { params: ofBob(), body: { reason: "Insults" } });
    await page.keyboard.press("t");
    await page.waitForSelector(`dialog >> text=${bob.username} is banned. Unban them first`);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    await page.keyboard.press("b");
    await page.waitForSelector("dialog [name=reason]");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog", { state: "detached" });
    expect(await inForce()).include({ type: "ban", reason: "Insults" });
  });

  it("time nobody out by the end of a timeout that another moderator has ended meanwhile", async () => {
    await channel.owner.api.ok("timeoutUser", { params: ofBob(), body: { duration_seconds: 3_600 } });
    await open(READY);
    await page.click(".restrictions button:text-is('Timeouts')");
    await page.click(`[aria-label="Edit the restriction of ${bob.username}"]`);
    await page.waitForSelector("dialog input[value='0']:focus");
    await channel.owner.api.ok("untimeoutUser", { params: ofBob() });
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog >> text=Their timeout has ended meanwhile.");
    expect(await inForce()).equal(null);
    await page.waitForSelector("dialog input[value='600']:focus");
  });
});
