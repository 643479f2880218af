// @waits: for alerts, which stand on the screen for seconds.
import { expect } from "chai";
import type { Page, WebSocketRoute } from "playwright-core";
import type { CreatedOverlay } from "../../../contract/wire.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { groundsOfPage, opacitiesOf } from "../in-page.mjs";
import { addressOf, createOverlay, setUpOverlay } from "./open-overlay.ts";

const SOON = { withinMs: 15_000, everyMs: 20 };
/** The shortest that an alert may be shown. */
const QUICK = { alert_seconds: 2 };
const HOSTILE = `<img src=x onerror="alert(1)"> {{1+1}}`;

describe("overlays in a broadcasting program", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  const opened = setUpOverlay(browser);
  let channel: Channel;
  let page: Page;
  let shown: string[] = [];

  beforeEach(async () => {
    channel = await given.channel();
  });

  async function open(overlay: CreatedOverlay): Promise<void> {
    ({ page, shown } = await opened(addressOf(world.baseUrl, overlay)));
  }
  const say = async (content: string, who?: Person) =>
    (who ?? (await given.user())).api.ok("sendChatMessage", { params: channel.at, body: { content } });
  const until = (check: () => unknown, what: string) => eventually(check, { ...SOON, what });
  const shownUntil = (wanted: string[]) => until(() => expect(shown).deep.equal(wanted), "alerts");
  const textOf = async () => (await page.textContent("#page")) ?? "";

  it("show the chat over a transparent ground, without what is hidden, and take deleted lines away", async () => {
    const bot = await given.user();
    const settings = { hides_commands: true, hidden_users: [bot.username.toUpperCase()] };
    await open(await createOverlay(channel, { kind: "chat", settings }));
    const first = await say(HOSTILE);
    await say("!roll 20");
    await say("I am a bot", bot);
    await say("last");
    const lines = () => page.$$eval(".line .text", (all) => all.map((one) => one.textContent));
    await until(async () => expect(await lines()).deep.equal([HOSTILE, "last"]), "lines");
    expect(await page.evaluate(groundsOfPage)).deep.equal(["rgba(0, 0, 0, 0)", "rgba(0, 0, 0, 0)"]);

    await channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: first.uuid } });
    await until(async () => expect(await lines()).deep.equal(["last"]), "lines");
  });

  it("bring nothing back that has faded", async () => {
    await open(await createOverlay(channel, { kind: "chat", settings: { fade_seconds: 1 } }));
    const lines = page.locator(".line");
    // Until it follows the room it hears of nothing.
    await until(async () => {
      await channel.owner.api.ok("clearChat", { params: channel.at });
      expect(await lines.count()).equal(1);
    }, "the notice");
    await say("The first", channel.owner);
    await until(
      async () => expect(await page.$$eval(".line", opacitiesOf)).deep.equal(["0", "0"]),
      "that both fade",
    );
    await say("The last", channel.owner);
    await page.waitForSelector(".line >> text=The last");
    expect(await lines.count()).equal(1);
  });

  it("show each alert once, also after a reload", async () => {
    await given.followerOf(channel);
    await open(await createOverlay(channel, { kind: "alerts", settings: QUICK }));
    const [one, two] = [await given.followerOf(channel), await given.followerOf(channel)];
    await shownUntil([`${one.username} followed`]);
    await page.reload();
    await shownUntil([`${one.username} followed`, `${two.username} followed`]);
    await page.reload();
    const three = await given.followerOf(channel);
    await shownUntil([one, two, three].map(({ username }) => `${username} followed`));
  });

  it("show what happened while they had no connection, once, and nothing again", async () => {
    const sockets: WebSocketRoute[] = [];
    await browser.context.routeWebSocket(/\/v1\/ws/, (socket) => {
      sockets.push(socket);
      socket.connectToServer();
    });
    await open(await createOverlay(channel, { kind: "alerts", settings: QUICK }));
    const one = await given.followerOf(channel);
    await shownUntil([`${one.username} followed`]);
    const before = sockets.length;
    const isFirst = sockets.at(-1);
    await isFirst?.close({ code: 1_012, reason: "restart" });
    const two = await given.followerOf(channel);
    await shownUntil([one, two].map(({ username }) => `${username} followed`));
    expect(sockets.length).greaterThan(before);
  });

  it("show many waiting follows as one alert", async () => {
    await open(await createOverlay(channel, { kind: "alerts", settings: { alert_seconds: 4 } }));
    const first = await given.followerOf(channel);
    await shownUntil([`${first.username} followed`]);
    const others: Person[] = [];
    for (let n = 0; n < 5; n++) others.push(await given.followerOf(channel));
    const [second] = others;
    await shownUntil([`${first.username} followed`, `${second?.username} and 4 others followed`]);
  });

  it("show what was paid also where more follows wait than are kept", async () => {
    const overlay = await createOverlay(channel, { kind: "alerts", settings: QUICK });
    const created_at = new Date(Date.now() + 1_000).toISOString();
    const { id } = channel.owner;
    const user = (n: number) => ({ id, username: `u${n}`, username_title: `u${n}`, image_url: null });
    const tips = [1, 2, 3].map((n) => ({
      id: `tip:${n}`,
      kind: "tip",
      amount_cents: n * 100,
      currency: "USD",
    }));
    const follows = Array.from({ length: 250 }, (_, n) => ({
      id: `follow:${n}`,
      kind: "follow",
      user: user(n),
    }));
    const alerts = [...tips, ...follows].map((one) => ({ user: null, created_at, is_test: false, ...one }));
    const json = { server_time: new Date().toISOString(), alerts };
    await browser.context.route("**/v1/overlay/alerts", (route) => route.fulfill({ json }));
    await open(overlay);
    const paid = ["$1.00", "$2.00", "$3.00"].map((amount) => `Someone tipped ${amount}`);
    await shownUntil([...paid, "u53 and 196 others followed"]);
    await browser.context.unroute("**/v1/overlay/alerts");
  });

  it("show what is stored only some seconds after its event", async () => {
    await open(await createOverlay(channel, { kind: "alerts", settings: QUICK }));
    let storedAt = Infinity;
    await page.route("**/v1/overlay/alerts", (route) => {
      const json = { server_time: new Date().toISOString(), alerts: [] };
      return Date.now() < storedAt ? route.fulfill({ json }) : route.continue();
    });
    const fan = await given.followerOf(channel);
    storedAt = Date.now() + 1_500;
    await shownUntil([`${fan.username} followed`]);
  });

  it("drop what is too old after a sleep, and go on with what is new", async () => {
    await open(await createOverlay(channel, { kind: "alerts", settings: QUICK }));
    const devtools = await browser.context.newCDPSession(page);
    await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
    const late = await given.followerOf(channel);
    // As if the page had slept for an hour.
    await world.core.mongo.db
      .collection("follows")
      .updateOne({ followerId: late.id }, { $set: { createdAt: new Date(Date.now() - 3_600_000) } });
    const inTime = await given.followerOf(channel);
    await devtools.send("Page.setWebLifecycleState", { state: "active" });
    await shownUntil([`${inTime.username} followed`]);
  });

  it("show a test alert wherever they are open, which is no activity of the channel", async () => {
    const overlay = await createOverlay(channel, { kind: "alerts", settings: QUICK });
    await open(overlay);
    const params = { ...channel.at, overlay_id: overlay.id };
    // Until its socket is open nobody gets it.
    await until(async () => {
      await channel.owner.api.ok("testOverlay", { params, body: { kind: "tip" } });
      expect(shown).contain("Ada tipped $5.00Great stream, keep going!");
    }, "a test alert");
    expect((await channel.owner.api.ok("listStreamActivity", { params: channel.at })).items).deep.equal([]);
  });

  it("show a prediction's pools and odds as they change, that it is locked, and its result", async () => {
    await open(await createOverlay(channel, { kind: "prediction" }));
    const { id } = await channel.owner.api.ok("createPrediction", {
      params: channel.at,
      body: { title: HOSTILE, outcomes: [{ title: "Yes" }, { title: "No" }], duration_seconds: 300 },
    });
    await page.waitForSelector(".question");
    expect(await page.textContent(".question h1")).equal(HOSTILE);
    const fan = await given.followerOf(channel);
    const { outcomes } = await fan.api.ok("getPrediction", { params: { prediction_id: id } });
    const [yes] = outcomes;
    const params = { prediction_id: id };
    await fan.api.ok("placeBet", { params, body: { outcome_id: yes?.id ?? "", amount: 100 } });
    await until(async () => expect(await textOf()).contain("100% · 100 points · 1:1"), "the bet");
    await channel.owner.api.ok("lockPrediction", { params });
    await until(async () => expect(await textOf()).contain("Locked"), "that it is locked");
    await channel.owner.api.ok("resolvePrediction", { params, body: { outcome_id: yes?.id ?? "" } });
    await page.waitForSelector("li[data-winner=true] >> text=Yes");
  });

  it("show a poll's votes as they come, and its result", async () => {
    await open(await createOverlay(channel, { kind: "poll" }));
    const poll = await channel.owner.api.ok("createPoll", {
      params: channel.at,
      body: { question: "Which game?", options: ["Chess", "Go"], duration_sec: 300 },
    });
    await page.waitForSelector(".question >> text=Which game?");
    const [, go] = poll.options;
    const params = { poll_id: poll.id };
    await (await given.user()).api.ok("voteInPoll", { params, body: { option_id: go?.id ?? "" } });
    await until(async () => expect(await textOf()).contain("100% · 1 vote"), "the vote");
    await channel.owner.api.ok("endPoll", { params });
    await page.waitForSelector("li[data-winner=true] >> text=Go");
  });

  it("take on changed settings while they are open, and disappear once their link has ended", async () => {
    const overlay = await createOverlay(channel, { kind: "chat" });
    await open(overlay);
    await say("Hello");
    await page.waitForSelector(".line >> text=Hello");
    const params = { ...channel.at, overlay_id: overlay.id };
    await channel.owner.api.ok("updateOverlay", { params, body: { settings: { theme: "clear" } } });
    await page.waitForSelector(".overlay[data-theme=clear]");
    await channel.owner.api.ok("renewOverlay", { params });
    await until(async () => expect(await textOf()).equal(""), "that nothing is shown");
    const refused = page.waitForResponse(/\/v1\/overlay$/);
    await page.reload();
    expect((await refused).status()).equal(401);
    expect(await textOf()).equal("");
  });

  it("go on when a worker has answered that doesn't know overlays, as in an upgrade", async () => {
    const overlay = await createOverlay(channel, { kind: "chat" });
    await open(overlay);
    const notFound = { status: 404, json: { code: "not_found", message: "There is no such resource." } };
    const answered = page.waitForResponse(/\/v1\/overlay$/);
    await page.route("**/v1/overlay", (route) => route.fulfill(notFound), { times: 1 });
    await page.reload();
    expect((await answered).status()).equal(404);
    await page.waitForSelector(".overlay[data-theme=dark]");
    const params = { ...channel.at, overlay_id: overlay.id };
    await channel.owner.api.ok("updateOverlay", { params, body: { settings: { theme: "clear" } } });
    await page.waitForSelector(".overlay[data-theme=clear]");
  });

  it("ask for nothing more once their link has ended", async () => {
    const overlay = await createOverlay(channel, { kind: "alerts" });
    page = await browser.context.newPage();
    await page.clock.install();
    await page.route("**/v1/overlay/alerts", (route) => route.fulfill({ status: 500, body: "" }));
    const failed = page.waitForResponse(/\/v1\/overlay\/alerts$/);
    await page.goto(addressOf(world.baseUrl, overlay));
    await failed;
    await page.waitForSelector(".overlay");
    const params = { ...channel.at, overlay_id: overlay.id };
    await channel.owner.api.ok("deleteOverlay", { params });
    await page.waitForSelector(".overlay", { state: "detached" });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.clock.fastForward(10 * 60_000);
    await page.evaluate("fetch('/v1/instance').then(() => null)");
    expect(asked).deep.equal(["/v1/instance"]);
  });

  it("send their token to no server in an address, and use no cookie", async () => {
    const overlay = await createOverlay(channel, { kind: "chat" });
    const addresses: string[] = [];
    browser.context.on("request", (request) =>
      addresses.push(request.url(), request.headers().referer ?? ""),
    );
    await open(overlay);
    await say("Hello");
    await page.waitForSelector(".line >> text=Hello");
    // The page's own, whose fragment the browser keeps.
    const sent = addresses.filter((address) => !address.startsWith(addressOf(world.baseUrl, overlay)));
    expect(sent.filter((address) => address.includes(overlay.token))).deep.equal([]);
    expect(await browser.context.cookies()).deep.equal([]);
  });
});
