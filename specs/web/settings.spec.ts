// @waits: for a browser.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { PLAIN_PAGES } from "../../web/src/pages/pages.ts";
import { keepComplaints, setUpChromium } from "../support/chromium.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import type { Person } from "../support/given-channels.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { codeNow } from "../support/two-factor.ts";
import { axeFaults, overhang } from "./in-page.mjs";
import { signIn } from "./signed-in.ts";

const PASSWORD = "a long phrase for specs";
/** Longer than a sign-in counts as a proof. */
const STALE_MS = 6 * 60_000;
const HALF_MINUTE_MS = 30_000;
const HOSTILE = "<b>bold</b> & שלום";
const SECTIONS = Object.keys(PLAIN_PAGES).flatMap((path) => /^\/settings\/(.+)/.exec(path)?.[1] ?? []);

describe("settings", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  let provider: IdentityProvider;
  before(async () => {
    provider = await startIdentityProvider("one");
  });
  after(() => provider?.close());
  const clock = movableClock();
  const { world, given } = setUpWorld(() => ({
    clock,
    oauth: { providers: [provider.setting({ name: HOSTILE })], returnUrls: ["https://app.example/"] },
  }));
  let ada: Person;
  let page: Page;
  const complaints: string[] = [];

  beforeEach(async () => {
    ada = await given.user();
    await signIn(browser.context, world.baseUrl, ada);
    page = await browser.context.newPage();
    keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await page?.close();
    await browser.context.clearCookies();
    expect(complaints.splice(0)).deep.equal([]);
  });

  const open = (section: string, fragment = "") =>
    page.goto(`${world.baseUrl}/settings/${section}${fragment}`);
  const says = (text: string) => page.waitForSelector(`.toast:has-text("${text}")`);
  const dialogSubmit = "dialog [type=submit]";
  /** Answers the dialog that asks who is here. */
  async function stepUp(): Promise<void> {
    await page.waitForSelector('dialog h2:text("Confirm that it\'s you")');
    await page.fill("dialog [name=password]", PASSWORD);
    await page.click(dialogSubmit);
  }

  it("show strangers the way to log in, which leads back", async () => {
    await browser.context.clearCookies();
    await open("security");
    await page.click("main a:text('Log in')");
    await page.waitForURL(`${world.baseUrl}/sign-in?next=%2Fsettings%2Fsecurity`);
  });

  it("save name, bio and links, and say what is wrong beside the field", async () => {
    await open("profile");
    await page.fill("[name=username_title]", ada.username.toUpperCase());
    await page.fill("[name=bio]", HOSTILE);
    await page.fill("[name=website]", "javascript:alert(1)");
    await page.click("main form >> nth=0 >> [type=submit]");
    await page.waitForSelector(".fault:has-text('This link')");
    expect(await page.getAttribute("[name=website]", "aria-invalid")).equal("true");
    await page.fill("[name=website]", "https://a.example/");
    await page.click("main form >> nth=0 >> [type=submit]");
    await says("Saved.");
    const me = await ada.api.ok("getMe");
    expect(me.username_title).equal(ada.username.toUpperCase());
    expect(me.bio).equal(HOSTILE);
    expect(me.social_links).deep.equal({ website: "https://a.example/" });
  });

  it("save what search engines and link previews show, beside tags of other programs", async () => {
    await ada.api.ok("setSeoTags", { body: { title: "Old", "x-mine": "kept" } });
    await open("profile");
    await page.fill("[name=seo_title]", "");
    await page.fill("[name=seo_description]", HOSTILE);
    await page.fill("[name=seo_keywords]", "compilers, , parsers");
    await page.click("form:has([name=seo_title]) [type=submit]");
    await says("Saved.");
    const { last_modified: _at, ...tags } = (await ada.api.ok("getMe")).seo_tags;
    expect(tags).deep.equal({
      "x-mine": "kept",
      description: HOSTILE,
      keywords: ["compilers", "parsers"],
    });
  });

  it("save the part of a picture that the arrow keys chose", async () => {
    const left = { create: { width: 300, height: 300, channels: 3, background: "#ff0000" } } as const;
    const picture = await sharp({ create: { width: 600, height: 300, channels: 3, background: "#0000ff" } })
      .composite([{ input: await sharp(left).png().toBuffer(), left: 0, top: 0 }])
      .png()
      .toBuffer();
    await open("profile");
    await page.setInputFiles("figure >> nth=0 >> [type=file]", {
      name: "a.png",
      mimeType: "image/png",
      buffer: picture,
    });
    await page.focus("dialog canvas");
    for (let n = 0; n < 20; n++) await page.keyboard.press("ArrowRight");
    await page.click(dialogSubmit);
    await says("Saved.");
    const { image_url: url } = await ada.api.ok("getMe");
    const file = await fetch(`${world.baseUrl}/files/${url?.split("/").at(-1)}`);
    const { channels } = await sharp(Buffer.from(await file.arrayBuffer())).stats();
    expect(channels.map(({ mean }) => Math.round(mean / 255))).deep.equal([0, 0, 1]);
    expect(await page.getAttribute("figure img.avatar", "src")).equal(url);
  });

  it("say that a file isn't a picture", async () => {
    await open("profile");
    await page.setInputFiles("figure >> nth=1 >> [type=file]", {
      name: "a.png",
      mimeType: "image/png",
      buffer: Buffer.from("not a picture"),
    });
    await page.waitForSelector('[role=alert]:has-text("This file isn\'t a picture")');
  });

  it("rename the account, and say until when it is locked then", async () => {
    const name = `n_${ada.id.slice(-12)}`;
    await open("account");
    await page.fill("main form >> nth=0 >> [name=username]", name);
    await page.click("button:text('Change username')");
    await says(`You are ${name} now.`);
    await page.fill("main form >> nth=0 >> [name=username]", `${name}x`);
    await page.click("button:text('Change username')");
    await page.waitForSelector("[role=alert]:has-text('You can change your username again on')");
  });

  it("change the address by the password alone, and show the new one until it is cancelled", async () => {
    clock.move(STALE_MS);
    await open("account");
    const email = `other-${ada.username}@example.com`;
    await page.fill("[name=email]", email);
    await page.fill("main [name=password]", "not the password");
    await page.click("button:text('Change address')");
    await page.waitForSelector("main [role=alert]");
    await page.fill("main [name=password]", PASSWORD);
    await page.click("button:text('Change address')");
    await page.waitForSelector(`[role=status]:has-text("We sent a link to ${email}.")`);
    expect(await page.isVisible("dialog"), "the password isn't asked for twice").equal(false);
    await page.reload();
    await page.click("button:text('Cancel the change')");
    await page.fill("dialog [name=password]", PASSWORD);
    await page.click(dialogSubmit);
    await says("Your address stays as it is.");
    expect((await ada.api.ok("getMyEmail")).pending_email).equal(null);
  });

  it("change the password, and say whether the old one is wrong or the new one weak", async () => {
    await open("account");
    await page.fill("[name=current_password]", "not the password");
    await page.fill("[name=new_password]", "an other phrase for specs");
    await page.click("button:text('Change password')");
    await page.waitForSelector(".fault:text-is('The current password is wrong.')");
    await page.fill("[name=current_password]", PASSWORD);
    await page.fill("[name=new_password]", "password1234");
    await page.waitForSelector(".strength:has-text('not strong enough'), .strength:has-text('weak')");
    await page.click("button:text('Change password')");
    await page.waitForSelector(".fault:has-text('This password')");
    await page.fill("[name=new_password]", "an other phrase for specs");
    await page.click("button:text('Change password')");
    await says("Your password was changed.");
    expect((await ada.api.call("getMe")).status, "other sessions have ended").equal(401);
  });

  it("set up two factors after a step-up in place, renew the codes, and switch it off", async () => {
    clock.move(STALE_MS);
    await open("security");
    await page.click("button:text('Set up')");
    await page.waitForSelector("dialog [name=password]");
    await page.fill("dialog [name=password]", "not the password");
    await page.click(dialogSubmit);
    await page.waitForSelector("dialog [role=alert]");
    await stepUp();
    await page.waitForSelector("dialog img.qr");
    const secret = (await page.textContent("dialog .secret")) ?? "";
    expect(await page.locator("dialog .codes li").count()).equal(10);
    await page.fill("dialog [name=code]", codeNow(world.core, { secret }));
    await page.click(dialogSubmit);
    await says("Two-factor authentication is on.");
    expect((await ada.api.call("getMe")).status, "other sessions have ended").equal(401);

    clock.move(HALF_MINUTE_MS);
    await page.click("button:text('Get new recovery codes')");
    await page.fill("dialog [name=code]", codeNow(world.core, { secret }));
    await page.click(dialogSubmit);
    await page.waitForSelector("text=Save these codes.");
    const [code = ""] = await page.locator("dialog .codes li").allTextContents();
    const downloaded = page.waitForEvent("download");
    await page.click("dialog button:text('Download')");
    expect((await downloaded).suggestedFilename()).equal("recovery-codes.txt");
    await page.click("button:text('I saved them')");

    await page.click("button:text('Turn off')");
    await page.fill("dialog [name=password]", PASSWORD);
    await page.fill("dialog [name=code]", code);
    await page.click(dialogSubmit);
    await says("Two-factor authentication is off.");
    await page.waitForSelector("button:text('Set up')");
  });

  it("ask for a code where the account has two factors, and go back to the page when it is closed", async () => {
    await open("security");
    await page.click("button:text('Set up')");
    const secret = (await page.textContent("dialog .secret")) ?? "";
    await page.fill("dialog [name=code]", codeNow(world.core, { secret }));
    await page.click(dialogSubmit);
    await says("Two-factor authentication is on.");
    clock.move(STALE_MS);
    await open("tokens");
    await page.click("button:text('Create a token')");
    await page.fill("dialog [name=name]", "mine");
    await page.click(dialogSubmit);
    await page.waitForSelector('dialog h2:text("Confirm that it\'s you")');
    expect(await page.isVisible("dialog [name=code]")).equal(true);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog [role=alert]:has-text('Confirm your identity')");
    expect(await page.inputValue("dialog [name=name]")).equal("mine");
  });

  it("show which device is this one, and end another one and all others", async () => {
    await open("security");
    const devices = page.locator(".rows li");
    await eventually(async () => expect(await devices.count()).equal(2), { what: "two devices" });
    expect(await page.locator(".rows li:has-text('This device')").count()).equal(1);
    await page.click(".rows li:not(:has-text('This device')) button");
    await says("The device is logged out.");
    expect((await ada.api.call("getMe")).status).equal(401);

    const again = await given.signedInAgain(ada);
    await open("security");
    await page.click("button:text('Log out all other devices')");
    await says("All other devices are logged out.");
    expect((await again.api.call("getMe")).status).equal(401);
    expect(await devices.count()).equal(1);
  });

  it("show a new token once, which has the scopes that were chosen, and delete it", async () => {
    await open("tokens");
    await page.click("button:text('Create a token')");
    await page.fill("dialog [name=name]", HOSTILE);
    await page.check("dialog label:text('Read my account')");
    await page.click(dialogSubmit);
    const token = (await page.textContent("dialog .secret")) ?? "";
    expect((await world.api.as({ token }).ok("getMe")).id).equal(ada.id);
    await page.click("dialog button:text('Done')");
    await page.waitForSelector(`.rows li:has-text("${HOSTILE}")`);
    await page.reload();
    await page.waitForSelector(".rows li");
    expect(await page.content(), "once").not.include(token);
    await page.click(".rows button:text('Delete')");
    await says("The token is deleted.");
    await page.waitForSelector("main >> text=You have no tokens.");
    expect((await world.api.as({ token }).call("getMe")).status).equal(401);
  });

  it("list blocked users, and lift a block", async () => {
    const ben = await given.user();
    await ada.api.ok("blockUser", { params: { user_id: ben.id } });
    await open("blocked");
    await page.click(`[aria-label="Unblock ${ben.username}"]`);
    await says(`You unblocked ${ben.username}.`);
    expect((await ada.api.ok("listMyBlocks")).items).deep.equal([]);
  });

  it("list the providers as text, and say what came of connecting one", async () => {
    await open("connections", "#linked=one");
    await page.waitForSelector(`.rows li:has-text("${HOSTILE}")`);
    expect(await page.locator(".toast").count(), "nothing was connected from here").equal(0);
    expect(new URL(page.url()).hash).equal("");
    await page.goto("about:blank");
    await open("connections", "#error=identity_taken");
    await page.waitForSelector("[role=alert]:has-text('is already connected with another account here')");
  });

  it("export all data as a file, and say how much came", async () => {
    await open("data");
    const downloaded = page.waitForEvent("download");
    await page.click("button:text('Export')");
    const file = await downloaded;
    const parts: Buffer[] = [];
    for await (const part of await file.createReadStream()) parts.push(part as Buffer);
    expect(JSON.parse(Buffer.concat(parts).toString("utf8")).account[0].username).equal(ada.username);
    await page.waitForSelector("[role=status]:has-text('Exported:')");
  });

  it("delete the account after its password, and sign out", async () => {
    await open("data");
    await page.click("button:text('Delete account')");
    await page.fill("dialog [name=password]", "not the password");
    await page.click(dialogSubmit);
    await page.waitForSelector("dialog [role=alert]");
    await page.fill("dialog [name=password]", PASSWORD);
    await page.click(dialogSubmit);
    await says("Your account is deactivated.");
    await page.waitForURL(`${world.baseUrl}/`);
    await page.waitForSelector(".top-bar a:text('Log in')");
    expect((await world.api.call("getPublicProfile", { params: { username: ada.username } })).status).equal(
      404,
    );
  });

  it("pass axe in light and dark, on a phone and on a desktop, and are no wider than the window", async () => {
    await ada.api.ok("updateMe", { body: { bio: HOSTILE } });
    await ada.api.ok("createApiToken", { body: { name: "x".repeat(100) } });
    const ben = await given.user();
    await ada.api.ok("blockUser", { params: { user_id: ben.id } });
    const found: string[] = [];
    const look = async (what: string): Promise<void> => {
      await page.evaluate(axe.source);
      const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
      found.push(...faults.map((fault) => `${what}: ${fault}`));
    };
    for (const [colorScheme, width] of [
      ["light", 1_280],
      ["dark", 360],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      for (const section of ["", ...SECTIONS]) {
        await open(section);
        await page.waitForSelector("main h1");
        await page.waitForSelector("main [aria-busy=true]", { state: "detached" });
        await look(`${section} ${colorScheme} ${width}`);
      }
      await open("security");
      await page.click("button:text('Set up')");
      await page.waitForSelector("dialog");
      await look(`set up ${colorScheme} ${width}`);
      await open("tokens");
      await page.click("button:text('Create a token')");
      await look(`new token ${colorScheme} ${width}`);
    }
    expect(found).deep.equal([]);
  });
});
