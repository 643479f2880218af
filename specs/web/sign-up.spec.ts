// @waits: for a browser.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import { mailboxOf, tokenIn } from "../support/mailbox.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang } from "./in-page.mjs";

const PASSWORD = "a long phrase for specs";
const SUBMIT = "main [type=submit]";

describe("the page to sign up", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ sendsMails: true });
  let page: Page;
  const complaints: string[] = [];

  beforeEach(async () => {
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });

  const open = (query = "") => page.goto(`${world.baseUrl}/sign-up${query}`);
  async function fill(username: string): Promise<void> {
    await page.fill("main [name=username]", username);
    await page.fill("main [name=email]", `${username}@example.com`);
    await page.fill("main [name=password]", PASSWORD);
  }

  it("says while a name is typed whether it can be had", async () => {
    const { username } = await given.user();
    await open();
    await page.fill("main [name=username]", username);
    await page.waitForSelector(".fault:has-text('This username is taken.')");
    await page.fill("main [name=username]", "admin");
    await page.waitForSelector(".fault:has-text('This username is reserved.')");
    await page.fill("main [name=username]", "a b");
    await page.waitForSelector(".fault:has-text('3 to 25 letters')");
    await page.fill("main [name=username]", `${username.slice(0, 10)}x`);
    await page.waitForSelector(".hint:has-text('This username is available.')");
    expect(await page.getAttribute("main [name=username]", "aria-invalid")).equal("false");
  });

  it("says in words how hard a password is to guess, and what would help", async () => {
    await open();
    await page.fill("main [name=password]", "password123");
    await page.waitForSelector(".strength[data-accepted=false] [role=status]:has-text('Strength: ')");
    await page.fill("main [name=password]", "short");
    await page.waitForSelector(".strength:has-text('Use at least 10 characters.')");
    await page.fill("main [name=password]", PASSWORD);
    await page.waitForSelector(".strength[data-accepted=true]:has-text('strong')");
  });

  it("makes the account, waits for the address to be verified elsewhere, and goes on by itself", async () => {
    const username = `s_${Date.now().toString(36)}`;
    await open("?next=%2Fcategories");
    await fill(username);
    await page.click(SUBMIT);
    await page.waitForSelector("h1:text('Check your email')");
    await page.waitForSelector(`bdi:text("${username}@example.com")`);
    const mailbox = mailboxOf(world);
    // Two mails that are sent at once arrive in either order, and only the link of the second one works.
    await mailbox.settled();
    await page.click("button:text('Send the email again')");
    await page.waitForSelector("[role=status]:has-text('The email was sent again.')");
    await page.waitForSelector("button[aria-disabled=true]:has-text('Send again in')");

    await mailbox.settled();
    const token = tokenIn(await mailbox.next(`${username}@example.com`, /Verify/));
    await world.api.ok("verifyEmail", { body: { token } });
    await page.waitForURL(`${world.baseUrl}/categories`);
    await page.waitForSelector(".toast:has-text('Your address is verified.')");
  });

  it("keeps what was typed when the service refuses it, and says why beside the field", async () => {
    const other = await given.user();
    await open();
    await fill(`t_${Date.now().toString(36)}`);
    await page.fill("main [name=email]", `${other.username}@example.com`);
    await page.click(SUBMIT);
    await page.waitForSelector(".field:has([name=email]) .fault");
    expect(await page.inputValue("main [name=password]")).equal(PASSWORD);
  });

  it("passes axe in light and dark, on a phone and on a desktop, and is no wider than the window", async () => {
    const found: string[] = [];
    for (const [colorScheme, width] of [
      ["light", 1_280],
      ["dark", 360],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await open();
      await fill("x".repeat(25));
      await page.waitForSelector(".strength:has-text('Strength')");
      await page.evaluate(axe.source);
      const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
      found.push(...faults.map((fault) => `${colorScheme} ${width}: ${fault}`));
    }
    expect(found).deep.equal([]);
  });
});

for (const [mode, what] of [
  ["closed", "says that nobody can sign up, and has no form"],
  ["invitation", "takes the code of the link by which somebody was invited"],
] as const) {
  describe(`the page to sign up while it is ${mode}`, function () {
    this.timeout(60_000);
    const browser = setUpChromium();
    const { world } = setUpWorld({ instance: { signUp: mode, pages: { terms: "# Terms" } } });

    it(what, async () => {
      const page = await browser.context.newPage();
      await page.goto(`${world.baseUrl}/sign-up#invitation=abc`);
      if (mode === "closed") {
        await page.waitForSelector("text=Sign-up is closed right now.");
        expect(await page.locator(SUBMIT).count()).equal(0);
      } else {
        expect(await page.inputValue("main [name=invitation]")).equal("abc");
        await page.goto(`${world.baseUrl}/sign-up?invitation=of-before`);
        expect(await page.inputValue("main [name=invitation]")).equal("of-before");
        expect(await page.getAttribute("main a:text('Terms of service')", "href")).equal("/about/terms");
        await page.fill("main [name=username]", "invited1");
        await page.fill("main [name=email]", "invited1@example.com");
        await page.fill("main [name=password]", PASSWORD);
        await page.click(SUBMIT);
        await page.waitForSelector(".field:has([name=invitation]) .fault");
      }
      await page.close();
    });
  });
}
