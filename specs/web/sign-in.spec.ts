// @waits: for a browser.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import type { Person } from "../support/given-channels.ts";
import { givenStaff } from "../support/given-staff.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { givenTwoFactor } from "../support/two-factor.ts";
import { axeFaults, overhang } from "./in-page.mjs";

const PASSWORD = "a long phrase for specs";
const SUBMIT = "main [type=submit]";
const HOSTILE = `<img src=x onerror="alert(1)"> is why`;

describe("the page to log in", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let page: Page;
  let ada: Person;
  const complaints: string[] = [];

  beforeEach(async () => {
    ada = await given.user();
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });

  const open = (query = "") => page.goto(`${world.baseUrl}/sign-in${query}`);
  async function logIn(login: string, password = PASSWORD): Promise<void> {
    await page.fill("[name=login]", login);
    await page.fill("[name=password]", password);
    await page.click(SUBMIT);
  }
  /** As by a provider, for which this tab had left. */
  async function comeBack(fragment: string): Promise<void> {
    await open();
    // From here on, the page doesn't look for a departure again.
    await page.waitForSelector("[name=login]");
    await page.evaluate(`sessionStorage.setItem("livecore-provider-sign-in", '{"provider":"one"}')`);
    await page.goto("about:blank");
    await open(fragment);
  }
  const isAt = (path: string) => page.waitForURL(world.baseUrl + path);

  it("says that name or password are wrong, and lets the next try in to the page that was asked for", async () => {
    await open("?next=%2Fsearch%3Fq%3Dx");
    await logIn(ada.username, "not the password");
    await page.waitForSelector("main [role=alert]");
    await logIn(` ${ada.username.toUpperCase()} `);
    await isAt("/search?q=x");
    await page.waitForSelector(".top-bar [aria-label=Account]");
  });

  it("blames the network for requests without an answer, and the page for its own faults", async () => {
    await open();
    await page.route("**/v1/auth/login", (route) => route.abort());
    await logIn(ada.username);
    await page.waitForSelector(`main [role=alert]:has-text("We can't reach the server.")`);
    await page.unroute("**/v1/auth/login");
    await page.evaluate(() => {
      globalThis.AbortController = Object(null);
    });
    await page.click(SUBMIT);
    await page.waitForSelector("main [role=alert]:has-text('Something went wrong on this page.')");
  });

  for (const next of [
    ...["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/v1/users/me"],
    ...["/.//evil.example/", "/x/..//evil.example/", "/.\\\\evil.example/"],
  ]) {
    it(`goes to the home page, and not to ${next}`, async () => {
      await open(`?next=${encodeURIComponent(next)}`);
      await logIn(ada.username);
      await isAt("/");
    });
  }

  it("asks for the second factor, and says how many recovery codes are left", async () => {
    const { recoveryCodes } = await givenTwoFactor(world.core, ada.api);
    await open();
    await logIn(ada.username);
    await page.waitForSelector("[name=code]:focus");
    await page.fill("[name=code]", "000000");
    await page.click(SUBMIT);
    await page.waitForSelector("main [role=alert]");
    await page.fill("[name=code]", recoveryCodes[0] ?? "");
    await page.click(SUBMIT);
    await page.waitForSelector(".toast:has-text('You have 9 recovery codes left.')");
    await isAt("/");
  });

  it("takes the second factor of a sign-in by a provider", async () => {
    await comeBack("#requires_2fa=true&two_factor_token=lc_2fa_unknown");
    await page.waitForSelector("[name=code]");
    expect(new URL(page.url()).hash, "in no history").equal("");
    await page.fill("[name=code]", "000000");
    await page.click(SUBMIT);
    await page.waitForSelector("[role=alert]:has-text('This took too long')");
  });

  it("says why a sign-in by a provider was refused", async () => {
    await open("#error=email_taken");
    await page.waitForSelector("[role=alert]:has-text('Log in to it, then connect the other service')");
    await page.goto("about:blank");
    await open("#error=constructor");
    await page.waitForSelector('[role=alert]:has-text("That didn\'t work.")');
  });

  it("shows no ban, appeal form or second factor by a link of somebody else", async () => {
    for (const fragment of [
      "#error=account_banned&reason=Call+this+number&appeal_token=t&subject_id=1",
      "#two_factor_token=t",
    ]) {
      await page.goto("about:blank");
      await open(fragment);
      await page.waitForSelector("h1:text('Log in')");
      expect(new URL(page.url()).hash, "the token leaves the address").equal("");
      expect(await page.innerText("main")).not.include("Call this number");
      expect(await page.locator("[name=message], [name=code]").count()).equal(0);
    }
  });

  it("tells a banned user the reason as text, and sends their appeal", async () => {
    const staff = await givenStaff(world, given).staff();
    await staff.api.ok("banAccount", { params: { account_id: ada.id }, body: { reason: HOSTILE } });
    await open();
    await logIn(ada.username);
    await page.waitForSelector("h1:text('This account is banned')");
    expect(await page.textContent("blockquote")).equal(HOSTILE);
    await page.fill("[name=message]", "I was away when this happened, and my brother too.");
    await page.click(SUBMIT);
    await page.waitForSelector("[role=status]:has-text('Your appeal was sent.')");
    const { items } = await staff.api.ok("listAppeals");
    expect(items.map(({ user }) => user?.id)).include(ada.id);
  });

  it("says that it undid the deletion of the account", async () => {
    await ada.api.ok("deleteMe", { body: { password: PASSWORD } });
    await open();
    await logIn(ada.username);
    await page.waitForSelector(".toast:has-text('Your account was restored.')");
    await isAt("/");
  });

  it("passes axe in light and dark, on a phone and on a desktop, and is no wider than the window", async () => {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [360, 1_280]) {
        await page.setViewportSize({ width, height: 800 });
        for (const fragment of [
          "",
          "?lang=pseudo",
          "#two_factor_token=t",
          "#error=account_banned&appeal_token=t&subject_id=1",
        ]) {
          await comeBack(fragment);
          await page.waitForSelector("main h1");
          await page.evaluate(axe.source);
          // In pseudo the instance's name differs from its label.
          const isPseudo = fragment.includes("pseudo");
          const broken = isPseudo ? [] : await page.evaluate(axeFaults);
          const faults = [...broken, ...(await page.evaluate(overhang))];
          found.push(...faults.map((fault) => `${fragment} ${colorScheme} ${width}: ${fault}`));
        }
      }
    }
    expect(found).deep.equal([]);
  });
});
