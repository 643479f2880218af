// @waits: for what presses bring.
import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { signIn } from "./signed-in.ts";

const WEB = new URL("../../web/src/", import.meta.url);
const SOON = { withinMs: 5_000, everyMs: 20 };

describe("focus after a press by keyboard", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let ada: Person;
  let page: Page;

  before(async () => {
    channel = await given.channel();
    ada = await given.user();
    await signIn(browser.context, world.baseUrl, ada);
  });
  beforeEach(async () => {
    page = await browser.context.newPage();
  });
  afterEach(() => page.close());

  /** Presses it, and waits until that is done and seen. */
  async function press(selector: string, until: string): Promise<void> {
    await page.locator(`${selector}:not([aria-disabled=true])`).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(until);
    await done();
  }
  const done = () =>
    eventually(async () => expect(await page.locator("[aria-disabled=true]").count()).equal(0), SOON);
  const isFocused = (selector: string) => page.locator(`${selector}:focus`).count();

  it("stays on Follow, which counts two presses in a row as one", async () => {
    await page.goto(`${world.baseUrl}/${channel.owner.username}`);
    const calls: string[] = [];
    page.on("request", (call) => {
      if (/\/follow/.test(call.url()) && call.method() !== "GET") calls.push(call.method());
    });
    const follow = "button[aria-label^=Follow]";
    await page.locator(`${follow}:not([aria-disabled=true])`).first().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await done();
    await eventually(async () => expect(await isFocused(`${follow}[aria-pressed=true]`)).equal(1), SOON);
    expect(calls).length(1);
  });

  it("goes from a vote to the poll's result", async () => {
    await page.goto(`${world.baseUrl}/${channel.owner.username}`);
    await page.waitForSelector(".log");
    const body = { question: "Tabs?", options: ["Yes", "No"], duration_sec: 60 };
    await channel.owner.api.ok("createPoll", { params: channel.at, body });
    await press(".ballot li:last-child button", ".poll [data-own=true]");
    expect(await isFocused(".poll")).equal(1);
  });

  it("stays on Save, and on the button of a refused form", async () => {
    await page.goto(`${world.baseUrl}/settings/profile`);
    const save = "form:has([name=bio]) [type=submit]";
    await press(save, ".toast:has-text('Saved.')");
    expect(await isFocused(save)).equal(1);
    await page.goto(`${world.baseUrl}/settings/account`);
    const change = "form:has([name=new_password]) [type=submit]";
    await page.fill("form:has([name=new_password]) [name=current_password]", "not the password");
    await page.fill("[name=new_password]", "another long phrase");
    await press(change, "form:has([name=new_password]) [role=alert]");
    expect(await isFocused(change)).equal(1);
  });

  it("isn't taken by any button that is disabled by its own press", () => {
    const files = readdirSync(WEB, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith("x"),
    );
    expect(files.length).above(100);
    const faults = files.filter((file) => /\sdisabled(=|$)/m.test(readFileSync(new URL(file, WEB), "utf8")));
    expect(faults, "use aria-disabled and useOneAtATime or useSubmit").deep.equal([]);
  });
});
