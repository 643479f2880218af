// @waits: for a browser to lay pages out.
import { readFileSync } from "node:fs";
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { followChangesCollection } from "../../../store/mongo/channels/follow-changes.ts";
import { rollupsIn } from "../../../store/mongo/discovery/rollups.ts";
import { type LedgerDoc, ledgerCollection } from "../../../store/mongo/points/ledger.ts";
import { givenBilling } from "../../support/billing.ts";
import { setUpChromium } from "../../support/chromium.ts";
import type { Channel } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { axeFaults, overhang, watchWork, workSoFar } from "../in-page.mjs";
import { signIn } from "../signed-in.ts";
import { setUpPage } from "./set-up-page.ts";

const TITLE = '=HYPERLINK("https://a.example","Water, now")';

/** A million with LEDGER_ROWS=1000000, which takes a minute or two to write. */
const ROWS = Number(process.env.LEDGER_ROWS ?? 40_000);
/** None is longer than 50 ms on a quiet machine; here other specs run beside it. A page that read rows would take seconds. */
const LONGEST_TASK_MS = 200;

describe("analytics in the console", function () {
  this.timeout(300_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpPage(browser);
  let channel: Channel;
  let page: Page;
  beforeEach(async () => {
    channel = await given.channel();
    page = opened.page();
    await page.setViewportSize({ width: 1_280, height: 900 });
    await signIn(browser.context, world.baseUrl, channel.owner);
  });

  async function open(period: "7d" | "30d" = "7d"): Promise<void> {
    await page.goto(`${world.baseUrl}/console/analytics`);
    await page.selectOption(".period select", period);
    await page.waitForSelector("text=Figures");
    await page.waitForSelector("section.panel >> text=Most redeemed rewards");
  }
  /** The rows of a downloaded file, without its mark; of fields that have no comma. */
  async function downloaded(title: string): Promise<string> {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.click(`[aria-label="${title}: download as CSV"]`),
    ]);
    return readFileSync(await file.path(), "utf8");
  }
  const rowsOf = (csv: string): string[][] =>
    csv
      .replace(/^\uFEFF/, "")
      .split("\r\n")
      .slice(0, -1)
      .map((row) => row.split(","));
  const figuresOf = (period: "7d" | "30d") =>
    channel.owner.api.ok("getCreatorAnalytics", { query: { period } });
  const followed = (agoMs: number, gained: number) =>
    followChangesCollection.in(world.core.mongo.db).insertOne({
      _id: newId(),
      channelUserId: channel.owner.id,
      createdAt: new Date(world.clock.now() - agoMs),
      gained,
      lost: 0,
    });
  const rollUp = () => {
    const now = new Date(world.clock.now());
    return rollupsIn(world.core.mongo.db).recount(
      channel.owner.id,
      new Date(now.getTime() - 62 * DAY_MS),
      now,
    );
  };

  it("shows figures beside those of the period before, and gives tables, plots and files to the point", async () => {
    const billing = givenBilling(world);
    const fan = await given.followerOf(channel);
    await followed(9 * DAY_MS, 4);
    await followed(2 * DAY_MS, 6);
    await rollUp();
    const tip = { to_user_id: channel.owner.id, amount_cents: 1_250, currency: "USD" };
    await billing.press((await fan.api.ok("createTipCheckout", { body: tip })).checkout_url, "pay");
    const reward = await channel.owner.api.ok("createReward", { body: { title: TITLE, cost: 50 } });
    await fan.api.ok("redeemReward", { params: { reward_id: reward.id }, body: {} });
    await open();

    const { follows, previous, days, points } = await figuresOf("7d");
    expect([follows.gained, previous?.follows.gained]).deep.equal([7, 4]);
    const gained = page.locator("tr", { has: page.locator("text='Followers gained'") }).locator("td");
    expect((await gained.allTextContents()).slice(0, 3)).deep.equal(["7", "4", "+3 (+75%)"]);
    const figures = new Map(rowsOf(await downloaded("Figures")).map(([name, ...rest]) => [name, rest]));
    expect(figures.get("Followers gained")).deep.equal(["7", "4", "3"]);
    expect(figures.get("Tips")).deep.equal(["12.5", "0", "12.5"]);
    expect(figures.get("Points spent by viewers")).deep.equal([String(points.spent), "0", "50"]);

    const [head, ...rows] = rowsOf(await downloaded("By day"));
    expect(rows.map((row) => [row[0], Number(row[head?.indexOf("Followers gained") ?? -1])])).deep.equal(
      days.map(({ day, follows_gained }) => [day, follows_gained]),
    );
    const plot = page.locator(".plot", { hasText: "Followers gained" });
    await plot.locator("summary").click();
    await plot.locator("canvas").waitFor();
    expect(await plot.locator("tbody td:last-child").allTextContents()).deep.equal(
      days.map(({ follows_gained }) => String(follows_gained)),
    );
    expect(await downloaded("Most redeemed rewards")).equal(
      `\uFEFFReward,Redeemed\r\n"'${TITLE.replaceAll('"', '""')}",1\r\n`,
    );
    for (const width of [1_280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      await page.evaluate(axe.source);
      expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
    }
  });

  it("says that there is nothing yet on a new channel", async () => {
    await open("30d");
    await page.waitForSelector("text=Nothing has happened on your channel in this period.");
    expect(await page.locator(".plot").count()).equal(0);
  });

  it("stays usable over a ledger of many rows", async () => {
    const { db } = world.core.mongo;
    const now = world.clock.now();
    const shown = ROWS.toLocaleString("en");
    const batch = 20_000;
    for (let done = 0; done < ROWS; done += batch) {
      const some = Array.from({ length: batch }, (_, n): LedgerDoc => {
        const seq = done + n;
        const createdAt = new Date(now - 6 * DAY_MS + Math.floor((seq * 5 * DAY_MS) / ROWS));
        const own = { _id: `${channel.owner.id}:${seq}`, userId: `viewer:${seq % 5_000}`, seq };
        return {
          ...own,
          channelUserId: channel.owner.id,
          delta: 1,
          reason: "presence",
          ref: null,
          balanceAfter: 1,
          createdAt,
        };
      });
      await ledgerCollection.in(db).insertMany(some, { ordered: false });
    }
    await rollUp();
    await open();
    await page.evaluate(watchWork);
    await page.selectOption(".period select", "30d");
    await page.waitForSelector(`tr:has-text('Points earned by viewers') >> text=${shown}`);
    for (const plot of await page.locator(".plot").all()) {
      await plot.scrollIntoViewIfNeeded();
      await plot.locator("canvas").waitFor();
    }
    await page.locator(".plot", { hasText: "Points earned by viewers" }).locator("summary").click();
    const { tasks } = await page.evaluate(workSoFar);
    process.stdout.write(`      ${shown} rows, long tasks: ${tasks.join(", ") || "none"}\n`);
    expect(tasks.filter((ms: number) => ms > LONGEST_TASK_MS)).deep.equal([]);
  });
});
