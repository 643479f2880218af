// @waits: for two browsers to lay pages out.
import axe from "axe-core";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { UNBAN_REQUEST_COOLDOWN_MS } from "../../../actors/chat/unban-request/machine.ts";
import { keepComplaints, setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { axeFaults, overhang } from "../in-page.mjs";
import { servePublicFiles } from "../public-files.ts";
import { signIn } from "../signed-in.ts";

const SOON = { withinMs: 8_000, everyMs: 20 };
const REQUESTS = ".request";

describe("unban requests on the site", function () {
  this.timeout(90_000);
  /** The viewer's, and the moderator's. */
  const [viewers, moderators] = [setUpChromium(), setUpChromium()];
  const { world, given } = setUpWorld();
  const complaints: string[] = [];
  let channel: Channel;
  let bob: Person;
  let moderator: Person;
  let watch: Page;
  let desk: Page;

  before(async () => {
    for (const { context } of [viewers, moderators]) await servePublicFiles(context, world.baseUrl);
  });
  beforeEach(async () => {
    channel = await given.channel();
    [bob, moderator] = [await given.user(), await given.moderatorOf(channel)];
    watch = await viewers.context.newPage();
    desk = await moderators.context.newPage();
    for (const page of [watch, desk]) keepComplaints(page, complaints);
  });
  afterEach(async () => {
    await moderators.context.setOffline(false);
    await Promise.all([watch.close(), desk.close()]);
    expect(complaints.splice(0)).deep.equal([]);
  });

  const ban = (user: Person) =>
    channel.owner.api.ok("banUser", {
      params: { ...channel.at, user_id: user.id },
      body: { reason: "Insults" },
    });
  const ask = async (user: Person, message: string) => {
    await ban(user);
    return user.api.ok("createUnbanRequest", { params: channel.at, body: { message } });
  };
  const deny = (by: Person, id: string) =>
    by.api.ok("denyUnbanRequest", { params: { ...channel.at, unban_request_id: id } });

  async function openWatch(): Promise<void> {
    await signIn(viewers.context, world.baseUrl, bob);
    await watch.goto(`${world.baseUrl}/${channel.owner.username}`);
  }
  async function openDesk(by: Person): Promise<void> {
    await signIn(moderators.context, world.baseUrl, by);
    await desk.goto(`${world.baseUrl}/console/${channel.owner.username}/moderation`);
  }
  const textsOf = () => desk.locator(`${REQUESTS} .message`).allTextContents();
  const waitFor = (texts: string[]) =>
    eventually(async () => expect(await textsOf()).deep.equal(texts), SOON);

  it("let a banned viewer ask, a moderator approve by keys, and the viewer chat again without a reload", async () => {
    await openDesk(moderator);
    await desk.waitForSelector("text=No one is waiting.");
    await openWatch();
    await watch.waitForSelector("text=No messages yet.");
    await ban(bob);
    await watch.waitForSelector(`text=You are banned from ${channel.owner.username}'s chat.`);
    await watch.waitForSelector("text=Insults");

    await watch.click("text=Request unban");
    await watch.fill("textarea[name=message]", "I won't do it again.");
    await watch.click("text=Send request");
    await watch.waitForSelector("text=is waiting for a moderator");

    await waitFor(["I won't do it again."]);
    await desk.locator(REQUESTS).focus();
    await desk.keyboard.press("a");
    await desk.waitForSelector(`dialog:has-text("Unban ${bob.username}?")`);
    await desk.keyboard.type("Welcome back");
    await desk.keyboard.press("Enter");
    await desk.waitForSelector("text=No one is waiting.");

    await watch.waitForSelector("form.composer textarea");
    await watch.fill("form.composer textarea", "I'm back");
    await watch.click("form.composer >> text=Send");
    await watch.waitForSelector(".log >> text=I'm back");
  });

  it("say when a denied viewer may ask again, with the moderator's note", async () => {
    await ask(bob, "Please");
    await openWatch();
    await watch.waitForSelector("text=is waiting for a moderator");
    await openDesk(moderator);
    await waitFor(["Please"]);

    await desk.click(`${REQUESTS} >> text=Deny`);
    await desk.fill("input[name=note]", "Read the rules first");
    await desk.click("dialog >> text=Deny");

    await watch.waitForSelector("text=You can send another one from");
    await watch.waitForSelector("text=Read the rules first");
    expect(await watch.locator("text=Request unban").count()).equal(0);
    const [own] = (await bob.api.ok("listMyUnbanRequests")).items;
    expect(Date.parse(own?.retry_at ?? "") - Date.parse(own?.resolved_at ?? "")).equal(
      UNBAN_REQUEST_COOLDOWN_MS,
    );
  });

  it("are moved through by keys, oldest first", async () => {
    const others = [await given.user(), await given.user(), await given.user()];
    for (const [n, user] of others.entries()) await ask(user, `Request ${n}`);
    await openDesk(moderator);
    await waitFor(["Request 0", "Request 1", "Request 2"]);
    const focused = () => desk.locator(`${REQUESTS}:focus .message`).textContent();

    await desk.locator(REQUESTS).first().focus();
    await desk.keyboard.press("j");
    await desk.keyboard.press("ArrowDown");
    expect(await focused()).equal("Request 2");
    await desk.keyboard.press("k");
    expect(await focused()).equal("Request 1");
    await desk.keyboard.press("d");
    await desk.waitForSelector("input[name=note]:focus");
    await desk.keyboard.press("Enter");

    await waitFor(["Request 0", "Request 2"]);
    expect(await focused()).equal("Request 2");
  });

  it("show what another moderator decided, also after a lost connection", async () => {
    const [first, second] = [await given.user(), await given.user()];
    const { id } = await ask(first, "First");
    await openDesk(moderator);
    await waitFor(["First"]);
    await deny(channel.owner, id);
    await desk.waitForSelector(`text=Denied by ${channel.owner.username}`);
    expect(await desk.locator(`${REQUESTS} >> text=Approve`).count()).equal(0);
    await desk.click(`${REQUESTS} >> text=Hide`);
    await desk.waitForSelector("text=No one is waiting.");

    await moderators.context.setOffline(true);
    await desk.waitForSelector("text=You are offline.");
    await ask(second, "Second");
    await moderators.context.setOffline(false);
    await waitFor(["Second"]);
  });

  it("keep the focus when another moderator decided them during a lost connection, so that no key is for the next one", async () => {
    const { id } = await ask(await given.user(), "First");
    await ask(await given.user(), "Second");
    await openDesk(moderator);
    await waitFor(["First", "Second"]);
    await desk.locator(REQUESTS).first().focus();
    await moderators.context.setOffline(true);
    await desk.waitForSelector("text=You are offline.");
    await deny(channel.owner, id);
    await moderators.context.setOffline(false);
    await desk.waitForSelector(`${REQUESTS}:focus >> text=Decided or expired while you were offline`);
    await waitFor(["First", "Second"]);
    await desk.keyboard.press("a");
    expect(await desk.locator("dialog").count()).equal(0);
  });

  it("stay when others decided them, the newest five of them", async () => {
    await openDesk(moderator);
    await desk.waitForSelector("text=No one is waiting.");
    for (let n = 0; n < 7; n++) {
      const { id } = await ask(await given.user(), `Request ${n}`);
      await desk.waitForSelector(`${REQUESTS} >> text=Request ${n}`);
      await deny(channel.owner, id);
    }
    await waitFor(["Request 2", "Request 3", "Request 4", "Request 5", "Request 6"]);
    await desk.locator(REQUESTS).first().focus();
    const { id } = await ask(await given.user(), "Request 7");
    await deny(channel.owner, id);
    // The one that has the focus stays beside them.
    await waitFor(["Request 2", "Request 3", "Request 4", "Request 5", "Request 6", "Request 7"]);
  });

  it("tell a moderator who was slower what became of the request", async () => {
    const { id } = await ask(bob, "Please");
    await openDesk(moderator);
    await waitFor(["Please"]);
    await desk.click(`${REQUESTS} >> text=Approve`);
    await desk.waitForSelector("input[name=note]:focus");
    await deny(channel.owner, id);

    await desk.keyboard.press("Enter");

    await desk.waitForSelector("dialog", { state: "detached" });
    await desk.waitForSelector(`text=Denied by ${channel.owner.username}`);
    const room = await bob.api.ok("getChatRoom", { params: channel.at });
    expect(room.restriction?.type).equal("ban");
  });

  it("are refused to viewers who don't moderate the channel, until they do", async () => {
    await openDesk(bob);
    await desk.waitForSelector(`text=You don't moderate ${channel.owner.username}'s chat`);

    await channel.owner.api.ok("addModerator", { params: { ...channel.at, user_id: bob.id } });

    await desk.waitForSelector("text=No one is waiting.");
  });

  it("are switched off by the owner, which the banned viewer sees", async () => {
    await ban(bob);
    await openDesk(channel.owner);
    await desk.click("text=Accept unban requests");
    await desk.waitForSelector("text=Banned viewers can't send unban requests.");

    await openWatch();

    await watch.waitForSelector("text=This channel doesn't take unban requests.");
    expect(await watch.locator("text=Request unban").count()).equal(0);
  });

  it("are reached from the watch page and from the console", async () => {
    await signIn(moderators.context, world.baseUrl, moderator);
    await desk.goto(`${world.baseUrl}/${channel.owner.username}`);
    await desk.click(`[aria-label="Moderate ${channel.owner.username}'s chat"]`);
    await desk.waitForSelector("text=No one is waiting.");
    await desk.goto(`${world.baseUrl}/console`);
    await desk.click("nav >> text=Moderation");
    await desk.waitForSelector("text=You are the broadcaster");
    expect(new URL(desk.url()).pathname).equal(`/console/${moderator.username}/moderation`);
  });

  it("pass axe with requests, in light and dark, on a phone and on a desktop", async () => {
    await ask(bob, "x".repeat(300));
    await openDesk(channel.owner);
    await waitFor(["x".repeat(300)]);
    await openWatch();
    await watch.waitForSelector(".banned-notice");
    const found: string[] = [];
    for (const page of [desk, watch])
      for (const colorScheme of ["light", "dark"] as const)
        for (const width of [360, 1_280]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          await page.evaluate(axe.source);
          const faults = [...(await page.evaluate(axeFaults)), ...(await page.evaluate(overhang))];
          found.push(...faults.map((fault) => `${page.url()} ${colorScheme} ${width}: ${fault}`));
        }
    expect(found).deep.equal([]);
  });
});
