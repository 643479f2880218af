import { expect } from "chai";
import type { BrowserContext, Page } from "playwright-core";
import speakeasy from "speakeasy";
import type { ReceivedMail } from "../../../deploy/development/mail/received.ts";
import { keepComplaints, openChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import { addAuthenticator } from "../authenticator.ts";
import { pictureOf } from "../in-page.mjs";

const PASSWORD = "a long phrase for specs";
const SUBMIT = "main [type=submit]";
const PATIENT = { withinMs: 60_000, everyMs: 250 };

/** Somebody with a browser of their own. */
export type Viewer = {
  username: string;
  page: Page;
  context: BrowserContext;
  /** How often a document was loaded since `loads.reset()`. */
  loads: { count(): number; reset(): void };
  /** What went wrong in the page, as its console says. */
  complaints: string[];
  open(path: string): Promise<void>;
  /** With an account that is there. */
  logIn(password: string): Promise<void>;
  logInByPasskey(): Promise<void>;
  /** By the form, and the link that comes by mail. */
  signUp(): Promise<void>;
  setUpTwoFactor(): Promise<void>;
  addPasskey(): Promise<void>;
  logOut(): Promise<void>;
  say(text: string): Promise<void>;
  hears(text: string): Promise<void>;
  /** The player's time moves, and its picture isn't black. */
  watches(): Promise<void>;
  told(text: string): Promise<void>;
  close(): Promise<void>;
};

/** @param at.http as the browser names the service; @param at.mails where its mails are listed */
export async function openViewer(username: string, at: { http: string; mails: string }): Promise<Viewer> {
  const browser = await openChromium();
  const { context } = browser;
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.setViewportSize({ width: 1_280, height: 800 });
  let loads = 0;
  page.on("load", () => loads++);
  const complaints: string[] = [];
  keepComplaints(page, complaints);
  const email = `${username}@example.com`;

  async function mailed(subject: RegExp): Promise<ReceivedMail> {
    return eventually(async () => {
      const { items } = (await (await fetch(at.mails)).json()) as { items: ReceivedMail[] };
      const found = items.findLast((mail) => mail.to.includes(email) && subject.test(mail.subject));
      if (!found) throw new Error(`no mail ${subject} came`);
      return found;
    }, PATIENT);
  }

  const viewer: Viewer = {
    username,
    page,
    context,
    complaints,
    loads: {
      count: () => loads,
      reset() {
        loads = 0;
      },
    },
    async open(path) {
      await page.goto(at.http + path);
      await page.waitForSelector(".top-bar");
    },
    async logIn(password) {
      await viewer.open("/sign-in");
      await page.fill("main [name=login]", username);
      await page.fill("main [name=password]", password);
      await page.click(SUBMIT);
      await page.waitForSelector("[aria-label=Account]");
    },
    async logInByPasskey() {
      await page.click(".top-bar a:text('Log in')");
      await page.click("button:text('Log in with a passkey')");
      await page.waitForSelector("[aria-label=Account]");
    },
    async signUp() {
      await viewer.open("/");
      await page.click(".top-bar a:text('Sign up')");
      await page.fill("main [name=username]", username);
      await page.fill("main [name=email]", email);
      await page.fill("main [name=password]", PASSWORD);
      await page.click(SUBMIT);
      await page.waitForSelector("h1:text('Check your email')");
      const { text } = await mailed(/Verify/);
      const [link = ""] = /https?:\S+#token=[\w-]+/.exec(text) ?? [];
      const other = await context.newPage();
      await other.goto(link);
      await other.click(SUBMIT);
      await page.waitForSelector(".toast:has-text('Your address is verified.')");
      await other.close();
    },
    async setUpTwoFactor() {
      await viewer.open("/settings/security");
      await page.click("button:text('Set up')");
      const secret = (await page.textContent("dialog .secret"))?.trim() ?? "";
      expect(await page.locator("dialog .codes li").count()).equal(10);
      await page.fill("dialog [name=code]", speakeasy.totp({ secret, encoding: "base32" }));
      await page.click("dialog [type=submit]");
      await viewer.told("Two-factor authentication is on.");
    },
    async addPasskey() {
      await addAuthenticator(context, page);
      await viewer.open("/settings/security");
      await page.click("button:text('Add a passkey')");
      await page.fill("dialog [name=name]", "this laptop");
      await page.click("dialog [type=submit]");
      await viewer.told("The passkey is added.");
    },
    async logOut() {
      await page.click("[aria-label=Account]");
      await page.click("button:text('Log out')");
      await page.waitForSelector(".top-bar a:text('Log in')");
    },
    async say(text) {
      const field = page.locator(".composer textarea");
      const taken = page.locator(`.line:has-text("${text}"), .composer:has-text("A moderator will review")`);
      await field.fill(text);
      await eventually(async () => {
        // A refused text is back in the field: within a second of the last one, or while a worker is away.
        if ((await field.inputValue()) === text) await field.press("Enter");
        expect(await taken.count()).above(0);
      }, PATIENT);
    },
    hears: async (text) => void (await page.waitForSelector(`.line:has-text("${text}")`)),
    async watches() {
      await page.waitForSelector("video");
      const before = (await page.evaluate(pictureOf)).at;
      await eventually(async () => {
        const { at: now, brightness } = await page.evaluate(pictureOf);
        expect(now).above(before + 0.5);
        expect(brightness).above(20);
      }, PATIENT);
    },
    told: async (text) => void (await page.waitForSelector(`.toast:has-text("${text}")`)),
    close: browser.close,
  };
  return viewer;
}
