import { expect } from "chai";
import type { Page } from "playwright-core";
import { DAY_MS } from "../../../base/durations.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { signIn } from "../signed-in.ts";
import { setUpPage } from "./set-up-page.ts";

const SOON = { withinMs: 10_000, everyMs: 20 };
/** As inputs have them; the browser and the service of specs are in UTC. */
const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

describe("schedule in the console", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpPage(browser);
  let owner: Person;
  let page: Page;

  beforeEach(async () => {
    owner = await given.user();
    await signIn(browser.context, world.baseUrl, owner);
    page = opened.page();
    await page.goto(`${world.baseUrl}/console/schedule`);
    await page.waitForSelector("text=Nothing is planned yet.");
  });

  async function add(title: string, isWeekly: boolean): Promise<void> {
    await page.click("text=Add stream");
    await page.fill("dialog [name=title]", title);
    await page.fill("dialog [name=starts]", `${dayIn(3)}T20:00`);
    await page.fill("dialog [name=ends]", `${dayIn(3)}T22:00`);
    if (isWeekly) await page.check("dialog [type=checkbox]");
    await page.click("dialog [type=submit]");
    await page.waitForSelector(`.entries >> text=${title}`);
  }
  const starts = async () => {
    const { items } = await owner.api.ok("listSchedule", { params: { username: owner.username } });
    return items.map(({ starts_at }) => starts_at);
  };
  const startsAre = (days: readonly number[]) =>
    eventually(
      async () => expect(await starts()).deep.equal(days.map((day) => `${dayIn(day)}T20:00:00.000Z`)),
      SOON,
    );

  it("takes a stream that says what it lacks, changes it and deletes it", async () => {
    await page.click("text=Add stream");
    await page.fill("dialog [name=title]", "Finale");
    await page.click("dialog [type=submit]");
    await page.waitForSelector("dialog >> text=Enter when it starts.");
    await page.fill("dialog [name=starts]", `${dayIn(3)}T20:00`);
    await page.fill("dialog [name=ends]", `${dayIn(3)}T19:00`);
    await page.waitForSelector("dialog >> text=The end must be after the start.");
    await page.fill("dialog [name=ends]", "");
    await page.click("dialog [type=submit]");
    await page.click("[aria-label='Edit “Finale”']");
    expect(await page.inputValue("dialog [name=starts]")).equal(`${dayIn(3)}T20:00`);
    await page.fill("dialog [name=starts]", `${dayIn(5)}T20:00`);
    await page.click("dialog [type=submit]");
    await startsAre([5]);
    await page.click("[aria-label='Delete “Finale”']");
    await page.click("dialog [type=submit]");
    await page.waitForSelector("text=Nothing is planned yet.");
    await startsAre([]);
  });

  it("skips one week of a weekly stream and restores it, pauses it, and ends it", async () => {
    await add("Weekly", true);
    await startsAre([3, 10, 17, 24]);
    await page.locator(".weeks li", { hasText: "Skip" }).nth(1).locator("button").click();
    await page.waitForSelector(".weeks >> text=Skipped");
    await startsAre([3, 17, 24]);
    await page.click(".weeks >> text=Restore");
    await startsAre([3, 10, 17, 24]);
    await page.click("[aria-label='Pause “Weekly”']");
    await page.fill("dialog [name=from]", dayIn(9));
    await page.fill("dialog [name=until]", dayIn(18));
    await page.click("dialog [type=submit]");
    await startsAre([3, 24]);
    await page.click("[aria-label='Resume “Weekly”']");
    await page.click("[aria-label='Edit “Weekly”']");
    await page.fill("dialog [name=until]", dayIn(11));
    await page.click("dialog [type=submit]");
    await startsAre([3, 10]);
  });

  it("skips two weeks one after the other, before the list is there again", async () => {
    await add("Weekly", true);
    await startsAre([3, 10, 17, 24]);
    // The page goes on with what it has.
    await page.route("**/v1/users/*/schedule?*", (route) => route.abort());
    const skip = (nth: number) =>
      page.locator(".weeks li", { hasText: "Skip" }).nth(nth).locator("button").click();
    await skip(0);
    await page.waitForSelector(".weeks >> text=Skipped");
    await skip(1);
    await startsAre([17, 24]);
  });

  it("keeps what is paused until further notice in reach of its owner", async () => {
    await add("Weekly", true);
    await page.click("[aria-label='Pause “Weekly”']");
    await page.fill("dialog [name=from]", dayIn(1));
    await page.click("dialog [type=submit]");
    await page.waitForSelector("text=Paused from");
    await page.reload();
    await page.waitForSelector(".weeks >> text=None in the next four weeks.");
    await page.click("[aria-label='Resume “Weekly”']");
    await startsAre([3, 10, 17, 24]);
  });
});
