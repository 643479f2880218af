// @waits: for a browser.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { BROADCAST_GRACE_MS, FIRST_PICTURE_MS } from "../../../actors/live/live-stream/machine.ts";
import { keepComplaints, setUpChromium } from "../../support/chromium.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { copiedText, fire, playNothing } from "../in-page.mjs";
import { servePublicFiles } from "../public-files.ts";
import { faultsInPseudo, faultsOf, openConsole } from "./open-console.ts";

const PASSWORD = "a long phrase for specs";
/** Longer than a sign-in counts as a proof. */
const STALE_MS = 6 * 60_000;

describe("the stream page of the console", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  let channel: Channel;
  let page: Page;
  const complaints: string[] = [];

  before(async () => {
    await servePublicFiles(browser.context, world.baseUrl);
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  });
  beforeEach(async () => {
    channel = await given.channel();
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await page.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });

  const open = () => openConsole(page, { context: browser.context, baseUrl: world.baseUrl }, channel);
  const state = (text: string) => page.waitForSelector(`.state > [role=status]:text-is("${text}")`);
  const says = (text: string) => page.waitForSelector(`.toast:has-text("${text}")`);
  const key = () => channel.stream.stream_key;
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const category = () => page.getByRole("combobox", { name: "Category" });

  it("follows an encoder from its connection to the end of the broadcast, without a reload", async () => {
    await open();
    await state("Waiting for your encoder");
    await given.hook("publish", { key: key() });
    await state("Receiving");
    await page.waitForSelector(".steps-to-go [data-done=true]:has-text('Connect your encoder')");
    world.clock.move(FIRST_PICTURE_MS);
    await state("Live");
    await page.waitForSelector(".figures >> text=/^Live for 0:0/");
    await given.hook("publish_done", { key: key() });
    await state("Reconnecting");
    await page.waitForSelector(".state >> text=/Ends in 1:[23]\\d/");
    world.clock.move(BROADCAST_GRACE_MS);
    await state("Waiting for your encoder");
  });

  it("is right after a reconnect about a broadcast that began meanwhile", async () => {
    await open();
    await browser.context.setOffline(true);
    try {
      await page.waitForSelector("text=You are offline.");
      await given.goLive(channel);
    } finally {
      await browser.context.setOffline(false);
    }
    await state("Live");
    complaints.splice(0);
  });

  it("shows the stream key once it is asked to, copies it, and replaces it after a fresh proof", async () => {
    await open();
    world.clock.move(STALE_MS);
    const shown = () => page.textContent(".facts-of-encoder .key");
    expect(await shown()).not.include(key());
    await page.click("text=Copy stream key");
    await says("Copied.");
    expect(await page.evaluate(copiedText)).equal(key());
    await page.click("[aria-label='Show stream key']");
    expect(await shown()).equal(key());
    await page.click(".facts-of-encoder >> text=Replace");
    await page.click("dialog >> text=/^Replace stream key$/");
    await page.fill("dialog [name=password]", PASSWORD);
    await page.click("dialog:has([name=password]) [type=submit]");
    await says("You have a new stream key.");
    const { stream_key: renewed = "" } = await (await given.signedInAgain(channel.owner)).api.ok(
      "getMyStream",
    );
    expect(renewed).not.equal(key());
    expect(await shown(), "hidden again").not.include(renewed);
    await page.click("text=Copy stream key");
    expect(await page.evaluate(copiedText)).equal(renewed);
    // That the proof is wanted, the browser reports as a failed load.
    complaints.splice(0);
  });

  it("saves what viewers read of the stream, with a category and tags by the keyboard alone", async () => {
    await open();
    await page.fill("[name=name]", "An evening");
    await category().focus();
    await page.keyboard.type("just ch");
    await page.waitForSelector(".information [role=option]");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.focus("[name=tags]");
    await page.keyboard.type("Cosy,fireside");
    await page.keyboard.press("Enter");
    await page.keyboard.type("x");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Backspace");
    await field("Language").selectOption({ label: "German" });
    await page.check("text=For mature audiences");
    await page.click("text=Save changes");
    await says("Saved.");
    const stream = await channel.owner.api.ok("getMyStream");
    expect(stream).deep.include({ name: "An evening", language: "de", is_mature: true });
    expect(stream.tags).deep.equal(["cosy", "fireside"]);
    const category_id = stream.category_id ?? "";
    expect((await world.api.ok("getCategory", { params: { category_id } })).slug).equal("just-chatting");
    await page.reload();
    await eventually(async () => expect(await category().inputValue()).equal("Just Chatting"));
  });

  it("keeps what is typed while it saves, as a change that isn't saved yet", async () => {
    await open();
    const title = page.locator("[name=name]");
    const held: (() => Promise<void>)[] = [];
    await page.route("**/v1/streams/me", async (route) => {
      if (held.length > 0 || route.request().method() !== "PATCH") await route.continue();
      else held.push(() => route.continue());
    });
    await title.fill("First part");
    await page.click("text=Save changes");
    await eventually(() => expect(held.length).equal(1));
    await title.fill("First part, and the second");
    for (const go of held) await go();
    await says("Saved.");
    expect(await title.inputValue()).equal("First part, and the second");
    await page.click("text=Save changes");
    await eventually(async () =>
      expect((await channel.owner.api.ok("getMyStream")).name).equal("First part, and the second"),
    );
  });

  it("says when no category has the name that is typed", async () => {
    await open();
    await category().fill("no such thing");
    await page.waitForSelector("[role=status] >> text=Nothing matches “no such thing”.");
  });

  it("shows what is changed elsewhere, without taking away what is being written", async () => {
    await open();
    const change = (name: string) => channel.owner.api.ok("updateMyStream", { body: { name } });
    const title = page.locator("[name=name]");
    await change("From elsewhere");
    await eventually(async () => expect(await title.inputValue()).equal("From elsewhere"));
    await title.fill("Half writ");
    await change("From elsewhere again");
    await page.waitForSelector("text=Your stream information was changed elsewhere.");
    expect(await title.inputValue()).equal("Half writ");
    await page.click("text=Show the new version");
    expect(await title.inputValue()).equal("From elsewhere again");
  });

  it("ends the broadcast at once when the creator confirms it", async () => {
    await given.goLive(channel);
    await open();
    await state("Live");
    await page.click("text=End stream");
    await page.click("dialog >> text=/^End stream$/");
    await state("Waiting for your encoder");
    expect((await world.api.ok("getStream", { params: channel.at })).is_live).equal(false);
  });

  it("counts viewers as they come, and the creator's preview not among them", async () => {
    await given.goLive(channel);
    await open();
    const watch = (device: string) =>
      world.api.ok("heartbeat", { body: { stream_id: channel.stream.id, device_id: device.repeat(16) } });
    await page.waitForSelector(".preview video");
    await page.evaluate(playNothing);
    await page.evaluate(fire, "playing");
    await watch("a1");
    await page.waitForSelector(".figures >> text=/^1 viewer$/");
    world.clock.move(5_000);
    await watch("b2");
    await page.waitForSelector(".figures >> text=/^2 viewers$/");
    // The browser reports that there is no video here.
    complaints.splice(0);
  });

  it("passes axe and fits a phone before and during a broadcast, and has a key for every text", async () => {
    await channel.owner.api.ok("updateMyStream", { body: { name: "x".repeat(140), tags: ["y".repeat(25)] } });
    await open();
    expect(await faultsOf(page), "before").deep.equal([]);
    await given.goLive(channel);
    await state("Live");
    const body = { title: "Will it?", outcomes: [{ title: "Yes" }, { title: "z".repeat(25) }] };
    await channel.owner.api.ok("createPrediction", {
      params: channel.at,
      body: { ...body, duration_seconds: 600 },
    });
    const poll = {
      question: "Which of these many things do we do next tonight?",
      options: ["This", "That"],
      duration_sec: 600,
    };
    await channel.owner.api.ok("createPoll", { params: channel.at, body: poll });
    await page.waitForSelector(".of-poll .poll");
    await page.waitForSelector(".of-prediction .outcomes");
    expect(await faultsOf(page), "live").deep.equal([]);
    expect(await faultsInPseudo(page), "in another language").deep.equal([]);
    complaints.splice(0);
  });
});
