// @waits: for a browser to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { PLAIN_PAGES, PUBLIC_PAGES } from "../../web/src/pages/pages.ts";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { givenStaff } from "../support/given-staff.ts";
import { openOwnStores } from "../support/own-stores.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import {
  axeFaults,
  idOfFocused,
  linesOf,
  nameOfFocused,
  overhang,
  plainTexts,
  scriptsLoaded,
  typeAndArrowDown,
} from "./in-page.mjs";

const THEMES = ["light", "dark"] as const;
const WIDTHS = [360, 1_280];
const HEIGHT = 800;
const PASSWORD = "a long phrase for specs";
const HOSTILE = `<img src=x onerror=alert(1)> ${"x".repeat(60)} שלום`;

describe("the site in a browser", function () {
  this.timeout(240_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({
    stores: openOwnStores,
    development: {
      mailboxUrl: "http://127.0.0.1:9464/mail",
      evening: { start: async () => ({ status: "off" }), state: () => ({ status: "off" }) },
    },
  });
  let page: Page;
  let channel: string;
  const complaints: string[] = [];

  before(async () => {
    const { owner, stream } = await given.channel();
    channel = owner.username;
    await owner.api.ok("updateMe", {
      body: { bio: "Compilers.\nשלום, everybody", social_links: { website: "https://a.example/" } },
    });
    await owner.api.ok("updateMyStream", { body: { name: HOSTILE, tags: ["parsers"] } });
    await given.hook("publish", { key: stream.stream_key });
    await eventually(async () => expect((await world.api.ok("getHome")).recommended).length(1));
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
  });
  after(() => page?.close());
  beforeEach(async () => {
    await page.setViewportSize({ width: 1_280, height: HEIGHT });
  });
  afterEach(() => expect(complaints.splice(0)).deep.equal([]));

  /** As by a new tab. */
  async function open(path: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(world.baseUrl + path);
    await page.waitForSelector(".top-bar");
    await page.waitForSelector("#main :is(h1, h2, form, .note)", { state: "attached" });
  }
  /** Videos and clips are in recordings.spec.ts, each part of the settings in settings.spec.ts. */
  const pages = () => [
    ...Object.keys({ ...PUBLIC_PAGES, ...PLAIN_PAGES })
      .filter((path) => !/^\/(videos|clips|settings)\//.test(path))
      .map((path) => path.replace(":category_id", "just-chatting").replace(":username", channel)),
    `/search?q=${channel}`,
  ];
  /** Of each page in each theme and width. */
  async function faultsIn(find: () => Promise<string[]>, query = ""): Promise<string[]> {
    const found: string[] = [];
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        for (const path of pages()) {
          await open(path + (query && (path.includes("?") ? `&${query}` : `?${query}`)));
          found.push(...(await find()).map((fault) => `${path} ${colorScheme} ${width}: ${fault}`));
        }
      }
    }
    return found;
  }

  it("passes axe in light and dark, on a phone and on a desktop, and is no wider than the window", async () => {
    const faults = await faultsIn(async () => {
      // Evaluated by the debugger, which the page's policy doesn't bind.
      await page.evaluate(axe.source);
      return [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
    });
    expect(faults).deep.equal([]);
  });

  it("brings each page with its title and its script", async () => {
    // On a desktop the settings lead on to their first part.
    await page.setViewportSize({ width: 360, height: HEIGHT });
    const paths = Object.keys(PLAIN_PAGES).filter((path) => !path.includes(":"));
    for (const path of ["/", "/categories", ...paths]) {
      const document = await (await fetch(world.baseUrl + path)).text();
      await open(path);
      const title = /<title>(.*)<\/title>/.exec(document)?.[1];
      // There is nothing at this address for strangers.
      const shown = path.startsWith("/staff") ? title?.replace(/.* · Staff/, "Page not found") : title;
      await eventually(async () => expect(await page.title(), path).equal(shown));
      const loaded = (await page.evaluate(scriptsLoaded)).filter((file) => !document.includes(file));
      expect(loaded, `${path} loads scripts later`).deep.equal([]);
    }
  });

  it("has a key for every text, and room for texts a third longer", async () => {
    const texts: string[] = [];
    for (const path of pages()) {
      await page.setViewportSize({ width: 360, height: HEIGHT });
      await open(`${path}${path.includes("?") ? "&" : "?"}lang=pseudo`);
      texts.push(...(await page.evaluate(plainTexts)).map((text) => `${path}: ${text}`));
      texts.push(...(await page.evaluate(overhang)).map((fault) => `${path}: ${fault}`));
    }
    expect(texts).deep.equal([]);
  });

  it("leads the keyboard from the skip link through the bar to the content", async () => {
    await open("/");
    const names: string[] = [];
    for (let i = 0; i < 7; i++) {
      await page.keyboard.press("Tab");
      names.push(await page.evaluate(nameOfFocused));
    }
    expect(names).deep.equal([
      ...["Skip to content", "livecore, home", "Browse", "Search channels, categories and clips"],
      ...["Search", "Log in", "Sign up"],
    ]);
  });

  it("opens pages without loading the document again, and moves the focus to them", async () => {
    await open("/");
    let loads = 0;
    page.once("load", () => loads++);
    await page.click(`.stream-card a[href="/${channel}"]`);
    await page.waitForSelector(".channel-header");
    await eventually(async () => expect(await page.title()).equal(`${channel} · livecore`));
    expect(await page.evaluate(idOfFocused)).equal("main");
    await page.goBack();
    await page.waitForSelector(".stream-card");
    expect(loads).equal(0);
  });

  it("says how the first staff account is made, until there is one", async () => {
    await open("/");
    await page.waitForSelector("text=npm run staff -- grant");
    await givenStaff(world, given).staff();
    await eventually(
      async () => {
        await open("/");
        expect(await page.$("text=npm run staff -- grant")).equal(null);
      },
      { withinMs: 30_000, everyMs: 1_000 },
    );
  });

  it("offers the demo evening and the mails in development", async () => {
    await open("/");
    const form = page.locator("form[action='/demo']");
    expect(await form.getByRole("button").textContent()).equal("Start the demo evening");
    expect(await page.getAttribute("text=Emails that the service sent", "href")).include("/mail");
  });

  it("suggests channels while the reader types, and opens one by the arrow keys", async () => {
    await open("/");
    await page.fill("[role=combobox]", channel.slice(0, 8));
    await page.waitForSelector("[role=option]");
    await page.keyboard.press("ArrowDown");
    expect(await page.getAttribute("[role=option][aria-selected=true]", "href")).match(/^\/u/);
    // A quick reader chooses while the answer for the last letter is on its way.
    const answered = page.waitForResponse((one) => one.url().includes(`suggestions?q=${channel}`));
    await page.evaluate(typeAndArrowDown, channel);
    await (await answered).finished();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".channel-header");
    expect(new URL(page.url()).pathname).equal(`/${channel}`);
  });

  it("lists what a search finds as live only where it is", async () => {
    const { owner } = await given.channel();
    await owner.api.ok("updateMyStream", { body: { name: "Parsers, later" } });
    await eventually(async () => {
      await open("/search?q=parsers");
      await page.waitForSelector(`section[aria-label=Channels] a[href="/${owner.username}"]`);
    });
    expect(await page.locator("section[aria-label='Live channels']").count()).equal(0);
    await open(`/search?q=${channel}`);
    await page.waitForSelector("section[aria-label='Live channels'] a");
  });

  it("shows people's texts as texts, each in its own direction", async () => {
    await open(`/${channel}`);
    expect(await page.textContent(".stream-title")).equal(HOSTILE);
    expect(await page.$("#main img[src=x]")).equal(null);
    const [latin, hebrew] = await page.evaluate(linesOf, ".bio");
    expect(hebrew?.top).above(latin?.top ?? 0);
    expect(hebrew?.left, "at the other side").above(latin?.left ?? 0);
  });

  it("signs people up, and lets them follow, chat and leave", async () => {
    const username = `viewer_${Date.now().toString(36)}`;
    await open(`/${channel}`);
    await page.click(".channel-header .button");
    await page.click(".form a >> text=Sign up");
    await page.fill("[name=username]", username);
    await page.fill("[name=email]", `${username}@example.com`);
    await page.fill("[name=password]", PASSWORD);
    await page.click("button >> text=Sign up");
    await page.click("text=Do this later");

    await page.click(`[aria-label="Follow ${channel}"]`);
    await page.waitForSelector(`[aria-label="Following ${channel}"]`);
    await page.waitForSelector(`.side-list a[href="/${channel}"]`);
    await page.fill(".composer textarea", "hello from the site");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".line >> text=hello from the site");

    await page.click("[aria-label=Account]");
    await page.click("text=Log out");
    await page.waitForSelector("text=Log in");
    expect(await page.$(".side-list")).equal(null);
  });

  it("says once that the network is lost, above nothing that it covers, until it is back", async () => {
    await open(`/${channel}`);
    await page.waitForSelector(".composer");
    await browser.context.setOffline(true);
    await page.waitForSelector("text=You are offline.");
    expect(await page.locator("text=/offline|reconnecting|connection/i >> visible=true").count()).equal(1);
    const [below, line] = await Promise.all(
      [".beside", ".connection"].map((selector) => page.locator(selector).boundingBox()),
    );
    expect((below?.y ?? 0) + (below?.height ?? 0)).most(line?.y ?? 0);
    await browser.context.setOffline(false);
    await eventually(async () => expect(await page.textContent(".connection")).equal(""));
  });
});
