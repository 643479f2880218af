// @waits: for a browser.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { newId } from "../../../base/ids.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { keysInSight } from "../in-page.mjs";
import { messageOf } from "../made-up-events.ts";
import { servePublicFiles } from "../public-files.ts";
import { signIn } from "../signed-in.ts";
import { madeUpRoom } from "./made-up-room.ts";
import { setUpPage } from "./set-up-page.ts";

const SOON = { withinMs: 8_000, everyMs: 20 };
/** More than are seen at once. */
const MANY = 60;

describe("the line in hand on the moderators' desk", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpPage(browser);
  let channel: Channel;
  let page: Page;
  let receive: Awaited<ReturnType<typeof madeUpRoom>>;
  let said: string[];
  let deleted: string[];

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    channel = await given.channel();
    await signIn(browser.context, world.baseUrl, await given.moderatorOf(channel));
    page = opened.page();
    [said, deleted] = [[], []];
    receive = await madeUpRoom(page, channel.stream.id);
    await page.route("**/messages/*", async (route) => {
      deleted.push(route.request().url().split("/").at(-1) ?? "");
      await route.fulfill({ json: { success: true } });
    });
    await page.goto(`${world.baseUrl}/console/${channel.owner.username}/moderation`);
    await page.waitForSelector(".talk >> text=No messages yet.");
  });

  /** Each by somebody else. */
  function hear(count: number): void {
    const messages = Array.from({ length: count }, (_, n) => {
      const no = said.length + n;
      return messageOf(newId(), { content: `line ${no}.`, username: `user_${no}`, user_id: newId() });
    });
    said.push(...messages.map(({ uuid }) => uuid));
    receive("chat.message", messages);
  }
  const lineOf = (no: number) => page.locator(".talk .line", { hasText: `line ${no}.` });
  const newOnes = (count: number) => page.waitForSelector(`.talk .newest >> text=${count} new`);
  async function press(key: string, times = 1): Promise<void> {
    for (let n = 0; n < times; n++) await page.keyboard.press(key);
  }
  const waitForDeleted = (uuids: (string | undefined)[]) =>
    eventually(() => expect(deleted).deep.equal(uuids), SOON);

  it("stays in hand on the way down to the newest one", async () => {
    hear(MANY);
    await lineOf(MANY - 1).waitFor();
    await page.focus(".keys-of");
    await press("c");
    await press("ArrowUp");
    await press("k", 30);
    await press("j", 30);
    hear(MANY);
    await newOnes(MANY);
    await press("d");
    await waitForDeleted([said[MANY - 1]]);
  });

  it("stays in hand after its button was pressed and the pointer went elsewhere", async () => {
    hear(MANY);
    // Beside the button that appears above it.
    await lineOf(MANY - 1).hover({ position: { x: 4, y: 8 } });
    await page.click(`[aria-label="Time out user_${MANY - 1}"]`);
    await page.waitForSelector("dialog >> text=Cancel");
    await page.mouse.move(0, 0);
    hear(MANY);
    await newOnes(MANY);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    hear(MANY);
    await newOnes(2 * MANY);
    await press("d");
    await waitForDeleted([said[MANY - 1]]);
  });

  /** Presses the delete button of a line after more have come, and goes on with the newest ones. */
  async function deleteByMouse(no: number): Promise<void> {
    await lineOf(no).hover({ position: { x: 4, y: 8 } });
    const button = await page.locator(`[aria-label="Delete this message from user_${no}"]`).boundingBox();
    await page.mouse.move((button?.x ?? 0) + 8, (button?.y ?? 0) + 8);
    hear(MANY);
    await newOnes(MANY);
    await page.mouse.down();
    await page.mouse.up();
  }

  it("stands still under a mouse that was there before it, and after the newest ones were asked for", async () => {
    await page.hover(".talk .log");
    hear(MANY);
    await lineOf(MANY - 1).waitFor();
    await deleteByMouse(MANY - 5);
    await page.click(".talk .newest");
    await lineOf(2 * MANY - 1).waitFor();
    await deleteByMouse(2 * MANY - 5);
    await waitForDeleted([said[MANY - 5], said[2 * MANY - 5]]);
  });

  it("stands still under a mouse after the chat was cleared", async () => {
    hear(MANY);
    await lineOf(MANY - 1).hover({ position: { x: 4, y: 8 } });
    receive("chat.cleared", [{}]);
    await page.waitForSelector(".talk .notice");
    hear(MANY);
    await newOnes(MANY);
  });

  /** The number of the first line in sight. */
  const topLine = async () => said.indexOf((await page.evaluate(keysInSight, ".talk .log"))[0] ?? "");

  it("is left by whoever reads back by keys, without a way to the newest one", async () => {
    hear(400);
    await lineOf(399).waitFor();
    await page.focus(".keys-of");
    await press("c");
    await press("ArrowUp");
    for (let n = 0; n < 10; n++) {
      const before = await topLine();
      await press("PageUp");
      await eventually(async () => expect(await topLine()).below(before), SOON);
    }
    expect(await page.locator(".talk .newest").count()).equal(1);
  });

  it("is left by whoever reads back after a press, and then goes to another panel", async () => {
    hear(400);
    await lineOf(395).hover({ position: { x: 4, y: 8 } });
    await page.click('[aria-label="Delete this message from user_395"]');
    const before = await topLine();
    await page.mouse.wheel(0, -600);
    await eventually(async () => expect(await topLine()).below(before - 10), SOON);
    const read = await topLine();
    await page.click(".held h2");
    hear(5);
    await newOnes(5);
    expect(await topLine()).equal(read);
  });

  it("stays in hand while more come than the page keeps", async () => {
    hear(5);
    await lineOf(4).waitFor();
    await page.focus(".keys-of");
    await press("c");
    await press("ArrowUp");
    hear(10);
    await lineOf(14).waitFor();
    await press("j", 5);
    hear(1_100);
    await newOnes(1_110);
    await press("d");
    await waitForDeleted([said[9]]);
  });

  it("is no other one after it is gone", async () => {
    hear(10);
    await lineOf(9).waitFor();
    await page.focus(".keys-of");
    await press("c");
    await press("ArrowUp");
    receive("chat.cleared", [{}]);
    hear(10);
    await lineOf(19).waitFor();
    await press("d");
    await press("ArrowUp");
    await press("d");
    await waitForDeleted([said[19]]);
  });

  it("is let go by a key that goes to another panel", async () => {
    hear(MANY);
    await lineOf(MANY - 1).waitFor();
    await page.focus(".keys-of");
    await press("c");
    await press("ArrowUp");
    hear(MANY);
    await newOnes(MANY);
    await press("h");
    await lineOf(2 * MANY - 1).waitFor();
    await page.waitForSelector(".talk .newest", { state: "detached" });
  });
});
