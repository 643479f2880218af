// @waits: for a browser.
import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../support/chromium.ts";
import type { Channel, Person } from "../support/given-channels.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { nameOfFocused } from "./in-page.mjs";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";

const SOURCES = new URL("../../web/src/", import.meta.url).pathname;

describe("focus of pages after a press by keyboard", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let ada: Person;
  let page: Page;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    channel = await given.channel();
    ada = await given.user();
    await signIn(browser.context, world.baseUrl, ada);
    page = await browser.context.newPage();
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
  });

  const press = async (selector: string): Promise<void> => {
    await page.focus(selector);
    await page.keyboard.press("Enter");
  };
  const focused = () => page.evaluate(nameOfFocused);
  const says = (text: string) => page.waitForSelector(`.toast:has-text("${text}")`);

  it("stays on Follow, which takes no press while it is busy and the next one after", async () => {
    const { username } = channel.owner;
    const calls: string[] = [];
    page.on("request", (call) => {
      if (call.url().includes("/v1/follows/") && call.method() !== "GET") calls.push(call.method());
    });
    await page.goto(`${world.baseUrl}/${username}`);
    await press(`button[aria-label="Follow ${username}"]:not([aria-disabled=true])`);
    await page.keyboard.press("Enter");
    await says(`You're following ${username}.`);
    await page.keyboard.press("Enter");
    await says(`You unfollowed ${username}.`);
    expect(await focused()).equal(`Follow ${username}`);
    expect(calls).deep.equal(["PUT", "DELETE"]);
  });

  it("stays on Save and on the button of a refused password", async () => {
    await page.goto(`${world.baseUrl}/settings/profile`);
    await page.fill("[name=bio]", "hello");
    await press("button:text-is('Save') >> nth=0");
    await says("Saved.");
    expect(await focused()).equal("Save");
    await page.goto(`${world.baseUrl}/settings/account`);
    await page.fill("[name=current_password]", "not my password");
    await page.fill("[name=new_password]", "another long phrase");
    await press("button:text-is('Change password')");
    await page.waitForSelector("[role=alert]");
    expect(await focused()).equal("Change password");
  });

  it("goes from an option of a poll to the poll's result", async () => {
    await page.goto(`${world.baseUrl}/${channel.owner.username}`);
    await page.waitForSelector("text=No messages yet.");
    const body = { question: "Tabs?", options: ["Yes", "No"], duration_sec: 60 };
    await channel.owner.api.ok("createPoll", { params: channel.at, body });
    await press(".ballot button:text-is('No')");
    await page.waitForSelector(".poll [data-own=true]:has-text('No')");
    expect(await focused()).equal("Poll");
  });

  it("is taken by no button that is disabled while it is busy", () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".tsx"),
    );
    const found = files.filter((file) => /(?<!aria-)disabled=\{/.test(readFileSync(SOURCES + file, "utf8")));
    expect(found).deep.equal([]);
  });
});
