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
});
