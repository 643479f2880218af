// @waits: for a browser.
import { expect } from "chai";
import type { Page, WebSocketRoute } from "playwright-core";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { loseWindowFocus } from "../in-page.mjs";
import { type Desk, setUpDesk } from "./set-up-desk.ts";

const SOON = { withinMs: 8_000, everyMs: 20 };

describe("a held message that a press or a key is meant for", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const ready = setUpDesk(browser, { world, given });
  let channel: Channel;
  let page: Page;
  let open: Desk["open"];

  beforeEach(async () => {
    ({ channel, page, open } = await ready());
    const body = { term: "buy*", action: "hold" as const };
    await channel.owner.api.ok("addBlockedTerm", { params: channel.at, body });
    await open(".held >> text=Nothing waits");
    await page.waitForSelector(".talk .draft textarea");
  });

  /** By somebody else each time. */
  async function holdUp(...contents: string[]): Promise<Person[]> {
    const authors: Person[] = [];
    for (const content of contents) {
      const author = await given.user();
      const { status } = await author.api.call("sendChatMessage", { params: channel.at, body: { content } });
      expect(status).equal(202);
      authors.push(author);
    }
    return authors;
  }
  const texts = () => page.locator(".held .request .message").allTextContents();
  const waiting = (wanted: string[]) =>
    eventually(async () => expect(await texts()).deep.equal(wanted), SOON);
  const held = async () => (await channel.owner.api.ok("listHeldMessages", { params: channel.at })).items;
  const heldThere = async () => (await held()).map(({ content }) => content);
  /** By another moderator, at once. */
  async function denyThere(content: string): Promise<void> {
    const held_id = (await held()).find((one) => one.content === content)?.id ?? "";
    await channel.owner.api.ok("denyHeldMessage", { params: { ...channel.at, held_id } });
  }
  async function denyElsewhere(content: string): Promise<void> {
    await denyThere(content);
    await page.waitForSelector(`.held .request >> text=Denied by ${channel.owner.username}`);
  }
  const row = (content: string) => page.locator(".held .request", { hasText: content });

  it("comes where events of the room were lost", async () => {
    const routes: WebSocketRoute[] = [];
    await page.routeWebSocket(/./, (route) => {
      routes.push(route);
      route.connectToServer().onMessage((frame) => {
        if (!String(frame).includes("mod.held")) route.send(frame);
      });
    });
    await page.reload();
    await page.waitForSelector(".held >> text=Nothing waits");
    await page.waitForSelector(".talk .draft textarea");
    await holdUp("buy one");
    const lost = { type: "room.epoch", channel: `chat:${channel.at.stream_id}`, ts: Date.now() };
    routes.at(-1)?.send(JSON.stringify([{ ...lost, data: { epoch: 2, continuous: false } }]));
    await waiting(["buy one"]);
  });

  it("isn't decided by somebody who presses Send and types on", async () => {
    await holdUp("buy one", "buy two");
    await waiting(["buy one", "buy two"]);
    await page.fill(".talk .draft textarea", "hello");
    await page.click(".talk .composer [type=submit]");
    await page.keyboard.type("that");
    await page.waitForSelector(".talk .line >> text=hello");
    expect(await page.inputValue(".talk .draft textarea")).equal("that");
    // Beside the input too.
    await page.focus(".talk .composer [type=submit]");
    await page.keyboard.type("has");
    expect(await heldThere()).deep.equal(["buy one", "buy two"]);
    expect(await page.locator("button.shield[aria-pressed=true]").count()).equal(0);
  });

  it("is deleted again alone by a key that is held", async () => {
    await holdUp("buy one", "buy two");
    await waiting(["buy one", "buy two"]);
    await page.focus(".held .request");
    await page.keyboard.press("a");
    await page.keyboard.press("a");
    await eventually(async () => expect(await page.locator(".decisions button").count()).equal(2), SOON);
    await page.keyboard.down("u");
    await page.waitForSelector(".decisions >> text=Deleted again");
    await page.keyboard.down("u");
    await page.keyboard.down("u");
    await page.keyboard.up("u");
    await holdUp("buy three");
    await waiting(["buy three"]);
    expect(await page.locator(".decisions >> text=Deleted again").count()).equal(1);
  });

  it("is decided alone by a double click", async () => {
    await holdUp("buy one", "buy two");
    await waiting(["buy one", "buy two"]);
    await row("buy one").locator("button:text-is('Approve')").dblclick();
    await waiting(["buy two"]);
    await eventually(async () => expect(await heldThere()).deep.equal(["buy two"]), SOON);
  });

  it("stays under the pointer while another moderator decides the ones above", async () => {
    await holdUp("buy one", "buy two", "buy three");
    await waiting(["buy one", "buy two", "buy three"]);
    await row("buy three").locator("button:text-is('Deny')").hover();
    await denyElsewhere("buy one");
    await page.mouse.down();
    await page.mouse.up();
    await eventually(async () => expect(await heldThere()).deep.equal(["buy two"]), SOON);
    await page.mouse.move(0, 0);
    await page.focus(".keys-of");
    await waiting(["buy two"]);
  });

  it("stays under the pointer, alone decided by its press, when another moderator decided those above during a lost connection", async () => {
    await holdUp("buy one", "buy two", "buy three");
    await waiting(["buy one", "buy two", "buy three"]);
    await row("buy three").locator("button:text-is('Deny')").hover();
    await browser.context.setOffline(true);
    await page.waitForSelector("text=You are offline.");
    await denyThere("buy one");
    await browser.context.setOffline(false);
    await page.waitForSelector(".held .request >> text=Decided or expired while you were offline");
    await page.waitForSelector("text=You are offline.", { state: "detached" });
    await page.mouse.down();
    await page.mouse.up();
    await eventually(async () => expect(await heldThere()).deep.equal(["buy two"]), SOON);
  });

  it("stays in hand while the window has no focus", async () => {
    await holdUp("buy one", "buy two");
    await waiting(["buy one", "buy two"]);
    await page.focus(".held .request");
    await page.evaluate(loseWindowFocus);
    await denyElsewhere("buy one");
    await page.keyboard.press("d");
    await waiting(["buy two"]);
    expect(await heldThere()).deep.equal(["buy two"]);
  });

  it("stays in hand after the queue ran empty and another moderator was faster", async () => {
    await holdUp("buy one");
    await waiting(["buy one"]);
    await page.focus(".held .request");
    await page.keyboard.press("a");
    await waiting([]);
    await holdUp("buy two", "buy three");
    await waiting(["buy two", "buy three"]);
    await denyElsewhere("buy two");
    await page.keyboard.press("d");
    await waiting(["buy three"]);
    expect(await heldThere()).deep.equal(["buy three"]);
  });

  it("stays in hand over a lost connection", async () => {
    await holdUp("buy one");
    await waiting(["buy one"]);
    await page.focus(".held .request");
    await browser.context.setOffline(true);
    await page.waitForSelector("text=You are offline.");
    await holdUp("buy two");
    await browser.context.setOffline(false);
    await waiting(["buy one", "buy two"]);
    await page.keyboard.press("d");
    await waiting(["buy two"]);
    await eventually(async () => expect(await heldThere()).deep.equal(["buy two"]), SOON);
  });

  it("stays in hand when another moderator decides it during a lost connection", async () => {
    await holdUp("buy one");
    await waiting(["buy one"]);
    await page.focus(".held .request");
    await browser.context.setOffline(true);
    await page.waitForSelector("text=You are offline.");
    await denyThere("buy one");
    await holdUp("buy two");
    await browser.context.setOffline(false);
    await page.waitForSelector(".held .request >> text=Decided or expired while you were offline");
    await waiting(["buy one", "buy two"]);
    await page.keyboard.press("d");
    await waiting(["buy two"]);
    expect(await heldThere()).deep.equal(["buy two"]);
  });

  it("is denied without a timeout where its author is banned, and says so", async () => {
    const [author] = await holdUp("buy one");
    await waiting(["buy one"]);
    const params = { ...channel.at, user_id: author?.id ?? "" };
    // Between the denial and the timeout: with a ban, all that is held of its user is denied.
    await page.route("**/members/*", async (route) => {
      await channel.owner.api.ok("banUser", { params, body: {} });
      await route.continue();
    });
    await page.focus(".held .request");
    await page.keyboard.press("t");
    await page.waitForSelector(`.decisions >> text=Denied ${author?.username}, who is banned`);
    const { restriction } = await channel.owner.api.ok("getChatMember", { params });
    expect(restriction?.type).equal("ban");
  });

  it("is denied without a timeout where its author has a longer one", async () => {
    const [author] = await holdUp("buy one");
    await waiting(["buy one"]);
    const params = { ...channel.at, user_id: author?.id ?? "" };
    const endNow = async () =>
      (await channel.owner.api.ok("getChatMember", { params })).restriction?.expires_at ?? null;
    await channel.owner.api.ok("timeoutUser", { params, body: { duration_seconds: 3_600 } });
    const end = await endNow();
    await page.focus(".held .request");
    await page.keyboard.press("t");
    await page.waitForSelector(".decisions >> text=whose timeout ends later");
    expect([typeof end, await endNow()]).deep.equal(["string", end]);
  });
});
