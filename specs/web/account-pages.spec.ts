// @waits: for a browser.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { MAIL_TEXTS } from "../../actors/mail/texts.ts";
import { MAILED_PAGES } from "../../web/src/pages/pages.ts";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import { type Mailbox, mailboxOf, tokenIn } from "../support/mailbox.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { axeFaults, overhang } from "./in-page.mjs";

/** As a token looks that isn't one of the service's. */
const UNKNOWN = `lc_em_${"x".repeat(43)}`;
const SUBMIT = "main [type=submit]";
const INPUT = "main input";

describe("account pages", function () {
  this.timeout(120_000);
  const { world, given } = setUpWorld({ sendsMails: true });

  const at = "2026-03-02T18:00:00.000Z";
  const data = { username: "ana", token: "t" };
  const links = [
    MAIL_TEXTS.verify_address(data),
    MAIL_TEXTS.confirm_new_address(data),
    MAIL_TEXTS.address_changed(data),
    MAIL_TEXTS.reset_password(data),
    MAIL_TEXTS.two_factor_enabled({ ...data, at }),
    MAIL_TEXTS.password_changed({ ...data, at }),
  ].flatMap(({ link }) => (link && "path" in link ? [link.path] : []));
  const paths = Object.keys(MAILED_PAGES).map((path) => path.replace("/account/", ""));

  it("are those to which mails link", () => {
    expect(paths).have.members([...new Set([...links, "unsubscribe"])]);
  });

  for (const path of paths) {
    it(`has ${path} without the token in any log or cache, and in nobody's frame`, async () => {
      const answer = await fetch(`${world.baseUrl}/account/${path}`);
      const page = await answer.text();
      const policy = answer.headers.get("content-security-policy");

      expect(answer.status).equal(200);
      expect(policy).contain("default-src 'none'").and.contain("frame-ancestors 'none'");
      expect(policy).contain("script-src 'sha256-").and.not.contain("unsafe");
      expect(answer.headers.get("referrer-policy")).equal("no-referrer");
      expect(answer.headers.get("cache-control")).equal("no-store");
      // Whoever can't sign in needs it, however many read documents at the same address.
      expect(answer.headers.get("ratelimit-policy")).include('name="pages"');
      expect(page).include('content="noindex"').and.include("<noscript>");
    });
  }

  it("are at their own address alone", async () => {
    for (const path of ["reset-password/", "Reset-Password", "account.js"])
      expect((await fetch(`${world.baseUrl}/account/${path}`)).status, path).equal(404);
  });

  it("are linked from mails that tell the owner to reset the password", () => {
    const mails = [
      MAIL_TEXTS.password_changed({ username: "ana", at }),
      MAIL_TEXTS.new_device({ username: "ana", device: "Firefox", address: "2001:db8::1", at }),
      MAIL_TEXTS.api_token_created({ username: "ana", prefix: "lc_", at }),
      MAIL_TEXTS.two_factor_changed({ username: "ana", change: "disabled", at }),
      MAIL_TEXTS.provider_changed({ username: "ana", provider: "example", change: "linked", at }),
      MAIL_TEXTS.account_deleted({ username: "ana", at, undoneUntil: null }),
    ];
    for (const { link, subject } of mails)
      expect(link, subject).deep.equal({ label: "Reset your password", path: "forgot-password" });
  });

  it("are linked with the whole address from the text of a mail in the development mailbox", async () => {
    const { username } = await given.user();
    const { id } = await mailboxOf(world).next(`${username}@example.com`, /Verify/);
    const page = await (await fetch(`${world.mailboxUrl}/mail/${id}`)).text();

    expect(page).match(
      new RegExp(
        `<a href="https://livecore\\.example/account/verify-email#token=lc_em_[\\w-]+&amp;account=${username}">`,
      ),
    );
  });

  describe("in a browser", () => {
    const browser = setUpChromium();
    let page: Page;
    let mailbox: Mailbox;
    const posted: string[] = [];
    const complaints: string[] = [];
    before(async () => {
      mailbox = mailboxOf(world);
      page = await browser.context.newPage();
      keepComplaints(page, complaints);
      page.on("request", (request) => {
        if (request.method() === "POST") posted.push(new URL(request.url()).pathname);
      });
    });
    beforeEach(() => void posted.splice(0));
    afterEach(() => expect(complaints.splice(0)).deep.equal([]));
    after(() => page?.close());

    /** As by a new tab: the same page with another fragment would not be loaded. */
    async function open(path: string, fragment = ""): Promise<void> {
      await page.goto("about:blank");
      await page.goto(`${world.baseUrl}/account/${path}${fragment}`);
    }
    const says = (text: string) => page.waitForSelector(`main [role]:has-text("${text}")`);
    const hasButton = () => page.isVisible(SUBMIT);
    async function person() {
      const { username } = await given.user();
      return { username, email: `${username}@example.com` };
    }

    it("verify an address by one press, and lead on", async () => {
      const { username, email } = await person();
      const token = tokenIn(await mailbox.next(email, /Verify/));
      await open("verify-email", `#token=${token}&account=${username}`);
      await page.waitForSelector(`text=Account: ${username}. Verify only if it is yours.`);
      expect(page.url()).equal(`${world.baseUrl}/account/verify-email`);
      expect(posted).deep.equal([]);

      await page.click(SUBMIT);
      await says("Your address is verified.");
      expect(posted).deep.equal(["/v1/auth/email/verify"]);
      expect(await hasButton()).equal(false);
      expect(await page.getAttribute("text=Go to the home page", "href")).equal("/");
    });

    it("say why a password is refused, and keep the form", async () => {
      const { email } = await person();
      await world.api.ok("forgotPassword", { body: { email } });
      const token = tokenIn(await mailbox.next(email, "Reset your password"));
      await open("reset-password", `#token=${token}`);
      await page.waitForSelector(".hint:has-text('At least 10 characters')");

      await page.fill(INPUT, "password123");
      await page.click(SUBMIT);
      await says("This password is too easy to guess.");
      expect(await page.getAttribute(INPUT, "aria-invalid")).equal("true");

      await page.fill(INPUT, "another phrase for specs");
      await page.click(SUBMIT);
      await says("Your password was changed");
      expect(await page.isVisible("text=Get a new link")).equal(false);

      await open("reset-password", `#token=${token}`);
      await page.fill(INPUT, "a third phrase for specs");
      await page.click(SUBMIT);
      await says("This link was used already, or it has expired.");
      expect(await hasButton()).equal(false);
      expect(await page.getAttribute("text=Get a new link", "href")).equal("/account/forgot-password");
    });

    it("mail a link to reset the password", async () => {
      const { email } = await person();
      await open("forgot-password");
      await page.fill(INPUT, "not an address@example.com");
      await page.evaluate("document.querySelector('main form').noValidate = true");
      await page.click(SUBMIT);
      await says("This address must be");

      await page.fill(INPUT, email);
      await page.click(SUBMIT);
      await says("If an account has this address");
      expect(tokenIn(await mailbox.next(email, "Reset your password"))).match(/^lc_em_/);
    });

    for (const path of paths.filter((one) => one !== "forgot-password")) {
      it(`tell what to do where the link of ${path} can't succeed`, async () => {
        await open(path, "#token=");
        await says("Open the link in the email again.");
        expect(await hasButton()).equal(false);

        for (const [token, text] of [
          [UNKNOWN, path === "unsubscribe" ? "no longer works" : "has expired"],
          // Mail programs cut long lines.
          [UNKNOWN.slice(0, 20), path === "unsubscribe" ? "no longer works" : "The link isn't complete."],
        ] as const) {
          await open(path, `#token=${token}`);
          if (path === "reset-password") await page.fill(INPUT, "another phrase for specs");
          await page.click(SUBMIT);
          await says(text);
          expect(await hasButton()).equal(false);
          expect(await page.isVisible("text=Go to the home page")).equal(true);
        }
        // After a reload, which the address has no token for.
        await page.reload();
        await says("Open the link in the email again.");
        // A link that is pasted into the same tab loads nothing.
        await page.goto(`${world.baseUrl}/account/${path}#token=${UNKNOWN}`);
        await page.waitForSelector(SUBMIT);
      });
    }

    it("pass axe in light and dark, on a phone and on a desktop, and are no wider than the window", async () => {
      const found: string[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of [360, 1_280]) {
          await page.setViewportSize({ width, height: 800 });
          for (const path of ["reset-password#token=t", "forgot-password", "unsubscribe"]) {
            await open(path);
            await page.waitForSelector("main h1");
            await page.evaluate(axe.source);
            const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
            found.push(...faults.map((fault) => `${path} ${colorScheme} ${width}: ${fault}`));
          }
        }
      }
      expect(found).deep.equal([]);
    });
  });
});
