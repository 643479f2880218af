// @waits: for two browsers to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { newId } from "../../../base/ids.ts";
import { keys } from "../../../store/redis/keys.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { axeFaults, overhang, watchWork, workSoFar } from "../in-page.mjs";
import { type Desk, setUpDesk } from "./set-up-desk.ts";

/** So many are in the document at once, however many wait. */
const MOST_ROWS = 200;
const SOON = { withinMs: 8_000, everyMs: 20 };
const READY = ".held >> text=/Nothing waits|waiting|Keys/";

describe("held messages on the moderators' desk", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const ready = setUpDesk(browser, { world, given });
  let channel: Channel;
  let moderator: Person;
  let page: Page;
  let open: Desk["open"];

  beforeEach(async () => {
    ({ channel, moderator, page, open } = await ready());
    const body = { term: "buy*", action: "hold" as const };
    await channel.owner.api.ok("addBlockedTerm", { params: channel.at, body });
  });

  /** By somebody else each time. */
  async function holdUp(content: string): Promise<Person> {
    const author = await given.user();
    const { status } = await author.api.call("sendChatMessage", { params: channel.at, body: { content } });
    expect(status).equal(202);
    return author;
  }
  const texts = () => page.locator(".held .request .message").allTextContents();
  const waiting = (wanted: string[]) =>
    eventually(async () => expect(await texts()).deep.equal(wanted), SOON);
  const said = async () =>
    (await channel.owner.api.ok("listChatMessages", { params: channel.at })).items.map(
      ({ content }) => content,
    );
  const heldThere = async () =>
    (await channel.owner.api.ok("listHeldMessages", { params: channel.at })).items.map((one) => one.content);

  it("are decided by keys alone, with a timeout and an approval taken back", async () => {
    await open(READY);
    for (const content of ["buy one", "buy two", "buy three"]) await holdUp(content);
    const author = await holdUp("buy four");
    await waiting(["buy one", "buy two", "buy three", "buy four"]);
    await page.focus(".held .request");
    await page.keyboard.press("a");
    await page.keyboard.press("j");
    await page.keyboard.press("d");
    await waiting(["buy two", "buy four"]);
    await page.keyboard.press("t");
    await waiting(["buy two"]);
    await eventually(async () => expect(await heldThere()).deep.equal(["buy two"]), SOON);
    await eventually(async () => expect(await said()).deep.equal(["buy one"]), SOON);
    const params = { ...channel.at, user_id: author.id };
    await eventually(async () => {
      expect((await moderator.api.ok("getChatMember", { params })).restriction).include({ type: "timeout" });
    }, SOON);
    await page.waitForSelector(".decisions li:has-text('buy one') button");
    await page.keyboard.press("u");
    await page.waitForSelector(".decisions li:has-text('buy one') >> text=Deleted again");
    expect(await said()).deep.equal([""]);
  });

  it("stay in place when somebody else decides the one in hand, so that the key hits no other", async () => {
    for (const content of ["buy one", "buy two", "buy three"]) await holdUp(content);
    await open(READY);
    await waiting(["buy one", "buy two", "buy three"]);
    await page.focus(".held .request");
    const [first, , last] = (await channel.owner.api.ok("listHeldMessages", { params: channel.at })).items;
    for (const { id } of [first, last].flatMap((one) => one ?? []))
      await channel.owner.api.ok("denyHeldMessage", { params: { ...channel.at, held_id: id } });
    await page.waitForSelector(`.held .request >> text=Denied by ${channel.owner.username}`);
    await waiting(["buy one", "buy two"]);
    await page.keyboard.press("a");
    await waiting(["buy two"]);
    expect(await heldThere()).deep.equal(["buy two"]);
    await page.keyboard.press("a");
    await waiting([]);
    await eventually(async () => expect(await said()).deep.equal(["buy two"]), SOON);
  });

  it("say what somebody else had decided before, and come back when a decision didn't arrive", async () => {
    await holdUp("buy one");
    await open(READY);
    await waiting(["buy one"]);
    const approvals = "**/held/*/approve";
    await page.route(approvals, (route) => route.abort());
    await page.click(".held .request button:text-is('Approve')");
    await page.waitForSelector('.toast:has-text("We can\'t reach the server.")');
    await waiting(["buy one"]);
    await page.unroute(approvals);
    await page.route(approvals, async (route) => {
      const [one] = (await channel.owner.api.ok("listHeldMessages", { params: channel.at })).items;
      const params = { ...channel.at, held_id: one?.id ?? "" };
      await channel.owner.api.ok("denyHeldMessage", { params });
      await route.continue();
    });
    await page.click(".held .request button:text-is('Approve')");
    await page.waitForSelector(".toast:has-text('Another moderator has denied this message already.')");
    await waiting([]);
    expect(await said()).deep.equal([]);
  });

  it("pass axe with messages and decisions, and are no wider than a phone", async () => {
    await holdUp(`<b>buy</b> שלום ${"x".repeat(200)}`);
    await holdUp("buy two");
    await open(READY);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.click(".held .request button:text-is('Deny')");
    await page.waitForSelector(".decisions li");
    await page.evaluate(axe.source);
    expect([...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))]).deep.equal([]);
  });

  it("stay usable when 10,000 wait: sixty decisions by keys without a long task", async () => {
    const { stream_id: streamId } = channel.at;
    await holdUp("buy the first one");
    const key = keys.roomHeld(streamId);
    const { redis } = world.core;
    const [first = ""] = await redis.hvals(key);
    const [{ id } = { id: "" }] = (await channel.owner.api.ok("listHeldMessages", { params: channel.at }))
      .items;
    for (let from = 0; from < 10_000; from += 1_000) {
      const more = Array.from({ length: 1_000 }, () => newId());
      await redis.hset(key, ...more.flatMap((other) => [other, first.replaceAll(id, other)]));
    }
    await open(".held >> text=10,001 messages");
    expect(await page.locator(".held .request").count()).most(MOST_ROWS);
    await page.focus(".held .request");
    await page.evaluate(watchWork);
    for (let n = 0; n < 60; n++) await page.keyboard.press("d");
    await page.waitForSelector(".held >> text=9,941 messages");
    const { tasks } = await page.evaluate(workSoFar);
    process.stdout.write(`      10,000 held messages, long tasks: ${tasks.join(", ") || "none"}\n`);
    // None on a quiet machine; here other specs take the processor from it. Work for each of 10,000 rows would take seconds.
    expect(tasks.filter((ms) => ms > 200)).deep.equal([]);
  });
});
