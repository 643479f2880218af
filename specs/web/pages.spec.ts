// @waits: for a browser to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { openOwnStores } from "../support/own-stores.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, nameOfFocused, overhang, scrolledBy, topOf } from "./in-page.mjs";

const THEMES = ["light", "dark"] as const;
const WIDTHS = [360, 1_280];
const HEIGHT = 800;

describe("static pages in a browser", function () {
  this.timeout(240_000);
  const browser = setUpChromium();
  const { world } = setUpWorld({
    stores: openOwnStores,
    development: {
      mailboxUrl: "http://127.0.0.1:9464/mail",
      evening: { start: async () => ({ status: "off" }), state: () => ({ status: "off" }) },
    },
  });
  let page: Page;
  const complaints: string[] = [];

  before(async () => {
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
  });
  after(() => page?.close());

  /** As by a new tab: the same page with another fragment would not be loaded. */
  async function open(path: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(world.baseUrl + path);
  }
  const PATHS = [
    "/nothing/here",
    "/docs/sockets",
    "/docs/guides",
    "/docs/guides/embeds",
    "/docs/guides/machines/raid",
  ];

  it("pass axe in light and dark, on a phone and on a desktop, and are no wider than the window", async () => {
    const found: string[] = [];
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        for (const path of PATHS) {
          await open(path);
          // Evaluated by the debugger, which the page's policy doesn't bind.
          await page.evaluate(axe.source);
          const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
          found.push(...faults.map((fault) => `${path} ${colorScheme} ${width}: ${fault}`));
        }
      }
    }
    expect(found).deep.equal([]);
    expect(complaints).deep.equal([]);
  });

  it("lead the keyboard from the header through the content in the order of the page", async () => {
    await open("/nothing/here");
    const names: string[] = [];
    for (let i = 0; i < 7; i++) {
      await page.keyboard.press("Tab");
      names.push(await page.evaluate(nameOfFocused));
    }
    expect(names).deep.equal([
      ...["Skip to content", "livecore, home", "Browse", "REST API", "Events", "Guides"],
      "Go to the home page",
    ]);
  });

  it("land at a folded event by its address, and by the filtered table of contents", async () => {
    await page.setViewportSize({ width: 1_280, height: HEIGHT });
    await open("/docs/sockets#message-chat.message");
    expect(await page.evaluate(topOf, "message-chat.message")).within(0, HEIGHT);

    await page.fill("#filter", "schema-free nonsense");
    expect(await page.isVisible("text=Commands >> nth=0")).equal(false);
    expect(await page.textContent(".toc [role=status]")).match(/^Nothing found/);
    await page.fill("#filter", "chat.pinned");
    expect(await page.textContent(".toc [role=status]")).equal("");
    await page.click(".toc a:visible");
    expect(new URL(page.url()).hash).equal("#message-chat.pinned");
    expect(await page.evaluate(topOf, "message-chat.pinned")).within(0, HEIGHT);
  });

  it("fold the contents of documents on a phone, and show them beside the page on a desktop", async () => {
    for (const path of ["/docs", "/docs/sockets", "/docs/guides/chat"]) {
      await page.setViewportSize({ width: 360, height: HEIGHT });
      await open(path);
      expect(await page.isVisible("#filter"), path).equal(false);
      expect((await page.locator(".text h1").boundingBox())?.y, path).below(200);
      await page.click("#contents > summary");
      expect(await page.isVisible("#filter"), path).equal(true);
      await page.setViewportSize({ width: 1_280, height: HEIGHT });
      await open(path);
      expect(await page.isVisible("#filter"), path).equal(true);
    }
  });

  it("keep words of tables whole, and scroll tables that are too wide", async () => {
    await page.setViewportSize({ width: 360, height: HEIGHT });
    await open("/docs/guides/configuration");
    const cell = page.locator("td code", { hasText: "LIVECORE_HOME" }).first();
    expect((await cell.boundingBox())?.height, "one line").below(32);
    expect(await page.evaluate(overhang)).deep.equal([]);
    const table = page.locator(".wide").first();
    await table.focus();
    await page.keyboard.press("ArrowRight");
    await eventually(async () => (await table.evaluate(scrolledBy)) > 0, { what: "it is scrolled" });
  });

  it("land at an operation by its address, and by the table of contents", async () => {
    await page.setViewportSize({ width: 1_280, height: HEIGHT });
    await open("/docs/#/auth/login");
    await page.waitForSelector("#operations-auth-login.is-open", { timeout: 60_000 });
    expect(await page.isVisible("#operations-auth-register")).equal(true);
    expect(await page.isVisible("#operations-chat-sendChatMessage")).equal(false);

    await page.fill("#filter", "POST chat messages");
    await page.click('.toc a[href="#/chat/sendChatMessage"]');
    await page.waitForSelector("#operations-chat-sendChatMessage.is-open");
    await page.setViewportSize({ width: 360, height: HEIGHT });
    expect(await page.evaluate(overhang)).deep.equal([]);
  });

  it("show the address of this service in the examples of REST", async () => {
    await open("/docs/#signing-in");
    expect(await page.textContent("#signing-in pre >> nth=0")).include("BASE=https://livecore.example");
    await page.waitForSelector(".servers option", { state: "attached", timeout: 60_000 });
    expect(await page.textContent(".servers option")).include(world.baseUrl);
    expect(complaints).deep.equal([]);
  });

  it("show the address of this service in the addresses of sockets", async () => {
    await open("/docs/sockets");
    expect(await page.textContent(".text")).include("wss://livecore.example/v1/ws/chat/{stream_id}");
  });
});
