// @waits: for a browser.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { messageOf } from "../made-up-events.ts";
import { servePublicFiles } from "../public-files.ts";
import { signIn } from "../signed-in.ts";
import { madeUpRoom } from "./made-up-room.ts";
import { setUpPage } from "./set-up-page.ts";

/** Many times a second. */
const ON_AND_ON = { withinMs: 20_000, everyMs: 20 };

describe("a flood of messages on the moderators' desk", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpPage(browser);

  before(() => servePublicFiles(browser.context, world.baseUrl));

  it("is shown in part, which is said, also where all of it is late, but for announcements and mentions", async () => {
    const channel = await given.channel();
    const moderator = await given.moderatorOf(channel);
    await signIn(browser.context, world.baseUrl, moderator);
    const page = opened.page();
    const receive = await madeUpRoom(page, channel.stream.id);
    await page.goto(`${world.baseUrl}/console/${channel.owner.username}/moderation`);
    await page.waitForSelector(".talk >> text=No messages yet.");
    const hear = (count: number, more: object) => {
      const late = { timestamp: Date.now() - 3_000, ...more };
      receive(
        "chat.message",
        Array.from({ length: count }, () => messageOf(newId(), late)),
      );
    };
    await eventually(async () => {
      hear(60, { content: "flood" });
      expect(await page.locator(".talk .sampled").textContent()).contain("Showing 1 of");
    }, ON_AND_ON);
    hear(6, { content: "for all", type: "announcement" });
    hear(6, { content: `for @${moderator.username}` });
    for (const text of ["for all", "for @"])
      await eventually(
        async () => expect(await page.locator(".talk .line", { hasText: text }).count()).equal(6),
        ON_AND_ON,
      );
  });

  it("leaves no more in memory after ten thousand messages than after the first ones", async () => {
    const channel = await given.channel();
    await signIn(browser.context, world.baseUrl, channel.owner);
    const page = opened.page();
    const receive = await madeUpRoom(page, channel.stream.id);
    await page.goto(`${world.baseUrl}/console/${channel.owner.username}/moderation`);
    await page.waitForSelector(".talk >> text=No messages yet.");
    const devtools = await browser.context.newCDPSession(page);
    const heap = async (): Promise<number> => {
      await devtools.send("HeapProfiler.collectGarbage");
      return (await devtools.send("Runtime.getHeapUsage")).usedSize;
    };
    let heard = 0;
    /** All are shown, as announcements are. */
    const hearUntil = async (wanted: number): Promise<number> => {
      while (heard < wanted) {
        const batch = Array.from({ length: 500 }, () => {
          heard++;
          return messageOf(newId(), { type: "announcement", content: `No. ${heard}, ${"x".repeat(400)}` });
        });
        receive("chat.message", batch);
        await page.waitForSelector(`.talk .line >> text=No. ${heard},`);
      }
      return heap();
    };
    // Of so many lines the page keeps what came last.
    const before = await hearUntil(2_000);
    const after = await hearUntil(10_000);
    process.stdout.write(`      heap: ${before} B after 2,000 messages, ${after} B after 10,000\n`);
    expect(after / before).below(1.25);
  });
});
