// @waits: for a browser to lay pages out.
import { expect } from "chai";
import { PLAIN_PAGES } from "../../../web/src/pages/pages.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { movableClock } from "../../support/clock.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { faultsOfEachPage } from "../each-page.ts";
import { pageWith } from "../hostile-text.ts";
import { servePublicFiles } from "../public-files.ts";
import { signIn } from "../signed-in.ts";
import { filledChannel } from "./filled-channel.ts";
import { setUpPage } from "./set-up-page.ts";

const ALL = Object.keys(PLAIN_PAGES).filter((path) => /^\/console\b/.test(path));
/** What a filled channel shows on each page: texts of people, or rows where there are none. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  "/console": ["input", "tip", "raid", "marker", "guess", "poll", "said"].map(pageWith),
  "/console/rewards": ["reward", "about", "input"].map(pageWith),
  "/console/roles": ["main .rows li >> nth=1"],
  "/console/moderated": [pageWith("elsewhere")],
  "/console/schedule": [pageWith("planned"), "main .weeks li"],
  "/console/videos": ["video", "clip"].map(pageWith),
  "/console/income": [pageWith("tip"), "main .rows li >> nth=2"],
  "/console/emotes": [pageWith("badge"), "main bdi:text-is('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')"],
  "/console/chat": [pageWith("term")],
  "/console/raids": ["main .users li >> nth=1"],
  "/console/:username/moderation": ["said", "held", "request", "banned", "silenced", "term"].map(pageWith),
  "/console/analytics": [pageWith("reward"), "main .plot"],
  "/console/overlays": [pageWith("overlay")],
};

describe("pages of the console", function () {
  this.timeout(240_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  const opened = setUpPage(browser);

  before(() => servePublicFiles(browser.context, world.baseUrl));

  it("show strangers the way to log in, which leads back", async () => {
    const page = opened.page();
    for (const path of ALL.filter((one) => !one.includes(":"))) {
      await page.goto(world.baseUrl + path);
      await page.click("main a:text('Log in')");
      await page.waitForURL(`${world.baseUrl}/sign-in?next=${encodeURIComponent(path)}`);
    }
  });

  it("show hostile texts as texts, pass axe in light and dark, and are no wider than a phone or a desktop", async () => {
    const { owner } = await filledChannel(world, given);
    await signIn(browser.context, world.baseUrl, owner);
    const pages = ALL.map((path) => ({
      address: world.baseUrl + path.replace(":username", owner.username),
      shown: ["main h1", ...(SHOWN[path] ?? [`none is known for ${path}`])],
    }));
    expect(await faultsOfEachPage(opened.page(), pages)).deep.equal([]);
  });
});
