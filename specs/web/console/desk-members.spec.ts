// @waits: for a browser.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { HOUR_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { followsCollection } from "../../../store/mongo/channels/follows.ts";
import { chatBansCollection } from "../../../store/mongo/chat/chat-bans.ts";
import { moderationActionsCollection } from "../../../store/mongo/chat/moderation-actions.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { hostileText } from "../hostile-text.ts";
import { axeFaults, nameOfFocused, overhang, watchWork, workSoFar } from "../in-page.mjs";
import { type Desk, setUpDesk } from "./set-up-desk.ts";

const SOON = { withinMs: 8_000, everyMs: 20 };
const READY = ".log-panel .rows >> text=Made moderator";

describe("members on the moderators' desk", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const ready = setUpDesk(browser, { world, given });
  let channel: Channel;
  let moderator: Person;
  let bob: Person;
  let page: Page;
  let open: Desk["open"];

  beforeEach(async () => {
    ({ channel, moderator, page, open } = await ready());
    bob = await given.user();
  });

  const ofBob = () => ({ ...channel.at, user_id: bob.id });
  const rows = (panel: string) => page.locator(`${panel} .rows li`);

  it("have a card with notes that other moderators see at once, messages and what is in force", async () => {
    await bob.api.ok("sendChatMessage", { params: channel.at, body: { content: "hello there" } });
    await bob.api.ok("followUser", { params: { user_id: channel.owner.id } });
    const day = { createdAt: new Date("2024-03-05T12:00:00Z") };
    await followsCollection.in(world.core.mongo.db).updateOne({ followerId: bob.id }, { $set: day });
    await open(READY);
    await page.click(`.talk .author:text-is("${bob.username}")`);
    await page.waitForSelector(
      ".member-card .facts div:has-text('Follows since') >> text=/5 Mar.* 2024|Mar.* 5, 2024/",
    );
    await page.waitForSelector(".member-card .said >> text=hello there");
    await page.click(".member-card .said [aria-label='Delete this message']");
    await page.waitForSelector(".member-card .said >> text=Message deleted");
    await page.waitForSelector(".member-card [role=status]:has-text('The message is deleted.')");
    await page.fill(".member-card [name=note]", "Kind so far");
    await page.click(".member-card >> text=Add note");
    await page.waitForSelector(".member-card .notes >> text=Kind so far");
    await channel.owner.api.ok("createMemberNote", { params: ofBob(), body: { text: "From the owner" } });
    await page.waitForSelector(".member-card .notes >> text=From the owner");
    // Their author's or the owner's alone.
    expect(await page.locator(".member-card .notes button").count()).equal(1);
    await page.click(".member-card .notes button");
    await page.click("dialog:not(.member-card) .danger");
    await page.waitForSelector(".member-card [role=status]:has-text('Note deleted.')");
    await page.waitForSelector(".member-card .notes >> text=Kind so far", { state: "detached" });

    await page.click(".member-card .choices >> text=Time out");
    await page.click("dialog:not(.member-card) .danger");
    await page.waitForSelector(`.member-card [role=status]:has-text("${bob.username}")`);
    await page.waitForSelector(".member-card .facts >> text=Timed out for");
    await page.waitForSelector(".member-card .log-rows >> text=Timeout");
    await page.click(".member-card >> text=End timeout");
    await page.click("dialog:not(.member-card) button:text-is('End timeout')");
    await page.waitForSelector(".member-card .facts >> text=Can chat");
    await page.waitForSelector(".member-card [role=status]:has-text('can chat again')");
  });

  it("are listed while they are banned or timed out, whoever acts, and found, edited and let back", async () => {
    const alan = await given.user();
    await open(READY);
    await page.waitForSelector(".restrictions >> text=No one is banned.");
    for (const user of [bob, alan])
      await channel.owner.api.ok("banUser", {
        params: { ...channel.at, user_id: user.id },
        body: { reason: "Spam" },
      });
    await eventually(async () => expect(await rows(".restrictions").count()).equal(2), SOON);
    await page.fill(".restrictions [name=restricted]", alan.username);
    await eventually(async () => expect(await rows(".restrictions").count()).equal(1), SOON);
    await page.click(`[aria-label="Edit the restriction of ${alan.username}"]`);
    await page.fill("dialog [name=reason]", "Spam, again");
    await page.click("dialog .danger");
    await page.waitForSelector(".restrictions .rows >> text=Spam, again");
    await page.click(`[aria-label="Unban ${alan.username}"]`);
    await page.click(`dialog:has-text("Unban ${alan.username}?") >> button:text-is("Unban")`);
    await page.waitForSelector(".restrictions >> text=No one found.");
    await channel.owner.api.ok("timeoutUser", {
      params: { ...channel.at, user_id: alan.id },
      body: { duration_seconds: 600 },
    });
    await page.click(".restrictions button:text-is('Timeouts')");
    await page.waitForSelector(`.restrictions .rows li:has-text("${alan.username}") .countdown`);
  });

  it("keep the end of their timeout when it is edited, unless another length is chosen", async () => {
    const endOf = async () =>
      Date.parse(
        (await channel.owner.api.ok("getChatMember", { params: ofBob() })).restriction?.expires_at ?? "",
      );
    await channel.owner.api.ok("timeoutUser", { params: ofBob(), body: { duration_seconds: 3_600 } });
    const end = await endOf();
    await open(READY);
    await page.click(".restrictions button:text-is('Timeouts')");
    const edit = `[aria-label="Edit the restriction of ${bob.username}"]`;
    await page.click(edit);
    await page.fill("dialog [name=reason]", "Spam");
    await page.press("dialog [name=reason]", "Enter");
    await page.waitForSelector(".restrictions .rows >> text=Spam");
    expect(await endOf()).closeTo(end, 2_000);
    await page.click(edit);
    await page.waitForSelector("dialog input[value='0']:focus");
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await eventually(async () => expect(await endOf()).below(end - 3_000_000), SOON);
  });

  it("have no notes on their own card", async () => {
    await moderator.api.ok("sendChatMessage", { params: channel.at, body: { content: "hello" } });
    await open(READY);
    const own = `.talk .author:text-is("${moderator.username}")`;
    await page.click(own);
    await page.waitForSelector(".member-card .said >> text=hello");
    expect(await page.locator(".member-card [name=note]").count()).equal(0);
  });

  it("are shown by the page before once the last page of them is empty", async () => {
    const { stream_id: streamId } = channel.at;
    const rest = { streamId, until: null, reason: "Spam", by: moderator.id };
    await chatBansCollection.in(world.core.mongo.db).insertMany(
      Array.from({ length: 25 }, (_, n) => {
        const userId = newId();
        return { _id: `${streamId}:${userId}`, userId, ...rest, createdAt: new Date(Date.now() + n * 1_000) };
      }),
    );
    await channel.owner.api.ok("banUser", { params: ofBob(), body: {} });
    await open(READY);
    await page.click(".restrictions >> text=Next");
    await page.waitForSelector(`.restrictions .rows >> text=${bob.username}`);
    await channel.owner.api.ok("unbanUser", { params: ofBob() });
    await eventually(async () => expect(await rows(".restrictions").count()).equal(25), SOON);
  });

  it("are in the log as moderators act on them, filtered by act, user, moderator and time", async () => {
    await open(READY);
    await channel.owner.api.ok("timeoutUser", { params: ofBob(), body: { duration_seconds: 60 } });
    await channel.owner.api.ok("untimeoutUser", { params: ofBob() });
    await eventually(async () => expect(await rows(".log-panel").count()).equal(3), SOON);
    await page.selectOption(".log-panel select >> nth=0", "timeout");
    await eventually(async () => expect(await rows(".log-panel").count()).equal(1), SOON);
    await channel.owner.api.ok("timeoutUser", { params: ofBob(), body: { duration_seconds: 120 } });
    await eventually(async () => expect(await rows(".log-panel").count()).equal(2), SOON);
    await page.fill(".log-panel [name=target]", channel.owner.username);
    await page.press(".log-panel [name=target]", "Enter");
    await page.waitForSelector(".log-panel >> text=No actions match these filters.");
    await page.click(".log-panel >> text=Clear filters");
    await eventually(async () => expect(await rows(".log-panel").count()).equal(4), SOON);

    await moderator.api.ok("untimeoutUser", { params: ofBob() });
    await page.fill(".log-panel [name=actor]", moderator.username);
    await page.press(".log-panel [name=actor]", "Enter");
    await eventually(async () => expect(await rows(".log-panel").count()).equal(1), SOON);
    await page.click(".log-panel >> text=Clear filters");
    await eventually(async () => expect(await rows(".log-panel").count()).equal(5), SOON);
    const longAgo = { createdAt: new Date(world.clock.now() - 2 * HOUR_MS) };
    await moderationActionsCollection
      .in(world.core.mongo.db)
      .updateMany({ streamId: channel.stream.id, action: "timeout" }, { $set: longAgo });
    await page.selectOption(".log-panel select >> nth=1", { label: "Last hour" });
    await eventually(async () => expect(await rows(".log-panel").count()).equal(3), SOON);
    await page.selectOption(".log-panel select >> nth=1", { label: "Last 24 hours" });
    await eventually(async () => expect(await rows(".log-panel").count()).equal(5), SOON);
  });

  it("pass axe with a card, bans and a log of hostile texts, in light and dark, and are no wider than a phone", async () => {
    await channel.owner.api.ok("banUser", { params: ofBob(), body: { reason: hostileText("reason", 500) } });
    await channel.owner.api.ok("createMemberNote", {
      params: ofBob(),
      body: { text: hostileText("note", 500) },
    });
    await open(READY);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 360, height: 740 });
      await page.evaluate(axe.source);
      expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
      await page.click(`.restrictions .link:has-text("${bob.username}")`);
      const card = page.locator(".member-card");
      for (const [part, of] of [
        [".notes li", "note"],
        [".log-rows", "reason"],
      ])
        await card.locator(`${part}:has-text("onerror=x()>${of}")`).waitFor();
      expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
      await page.click(".member-card .shut");
    }
  });

  it("stay usable with 20,000 bans, of which a page is in the document", async () => {
    const { stream_id: streamId } = channel.at;
    const bans = chatBansCollection.in(world.core.mongo.db);
    const rest = { streamId, until: null, reason: "Spam", by: moderator.id };
    for (let from = 0; from < 20_000; from += 5_000)
      await bans.insertMany(
        Array.from({ length: 5_000 }, (_, n) => {
          const userId = newId();
          return { _id: `${streamId}:${userId}`, userId, ...rest, createdAt: new Date(from + n) };
        }),
      );
    await open(READY);
    await page.waitForSelector(".restrictions >> text=20,000 bans");
    await page.evaluate(watchWork);
    for (const number of [2, 3, 4]) {
      await page.click(".restrictions >> text=Next");
      await page.waitForSelector(`.restrictions >> text=Page ${number}`);
      await eventually(async () => expect(await rows(".restrictions").count()).equal(25), SOON);
      expect(await page.evaluate(nameOfFocused)).equal("Next");
    }
    const { tasks } = await page.evaluate(workSoFar);
    process.stdout.write(`      20,000 bans: long tasks of ${tasks.join(", ")} ms\n`);
    // Twice what a browser calls a long task, since other processes may take the processor from it.
    expect(tasks.filter((ms) => ms > 100)).deep.equal([]);
  });

  it("lead from the console to the desks of the channels that one moderates", async () => {
    await page.goto(`${world.baseUrl}/console/moderated`);
    await page.click(`[aria-label="Moderate ${channel.owner.username}'s chat"]`);
    await page.waitForSelector(".talk >> text=No messages yet.");
    // The focus is on the page as a whole after that.
    await page.keyboard.press("h");
    await page.waitForSelector(".held:focus");
  });
});
