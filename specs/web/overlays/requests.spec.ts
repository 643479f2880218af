// @waits: for a browser, and for alerts, which stand on the screen for seconds.
import { expect } from "chai";
import type { Page, WebSocketRoute } from "playwright-core";
import type { CreatedOverlay } from "../../../contract/wire.ts";
import { setUpChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { addressOf, createOverlay, openOverlay } from "./open-overlay.ts";

const ALERTS = "**/v1/overlay/alerts";
/** Less than after what a page takes itself to have slept. */
const STEP_MS = 10_000;

describe("what overlays ask for", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld();
  let channel: Channel;
  let page: Page;
  let shown: string[] = [];
  let heard: string[] = [];

  beforeEach(async () => {
    channel = await given.channel();
    heard = [];
  });
  afterEach(() => page.close());

  /** With a clock of its own. */
  async function open(overlay: CreatedOverlay): Promise<void> {
    const onNew = (made: Page) => {
      made.on("websocket", (socket) =>
        socket.on("framereceived", ({ payload }) => heard.push(String(payload))),
      );
    };
    browser.context.once("page", onNew);
    await browser.context.clock.install();
    ({ page, shown } = await openOverlay(browser.context, addressOf(world.baseUrl, overlay)));
    await page.waitForSelector(".overlay");
    await hears('"type":"subscribed","channel":"chat:', 1);
  }
  const hears = (part: string, times: number) =>
    eventually(() => expect(heard.filter((frame) => frame.includes(part))).length(times), {
      withinMs: 15_000,
      what: part,
    });

  it("is asked within seconds after something has happened, also after many failures", async () => {
    await open(await createOverlay(channel, { kind: "alerts" }));
    let failures = 0;
    await page.route(ALERTS, (route) => {
      failures += 1;
      return route.fulfill({ status: 500, body: "" });
    });
    await page.clock.fastForward(1_000);
    await eventually(
      async () => {
        if (failures < 5) await page.clock.fastForward(STEP_MS);
        expect(failures).equal(5);
      },
      { withinMs: 30_000, everyMs: 200, what: "failures" },
    );
    await page.unroute(ALERTS);

    const fan = await given.followerOf(channel);
    await hears('"channel.followed"', 1);
    await page.clock.fastForward(6_000);

    await eventually(() => expect(shown).deep.equal([`${fan.username} followed`]), { withinMs: 5_000 });
  });

  it("is nothing where moderators remove what is on no alert", async () => {
    await open(await createOverlay(channel, { kind: "alerts" }));
    const said = await Promise.all(
      ["one", "two", "three"].map((content) =>
        channel.owner.api.ok("sendChatMessage", { params: channel.at, body: { content } }),
      ),
    );
    await page.clock.fastForward(1_000);
    await page.evaluate("fetch('/v1/instance').then(() => null)");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));

    for (const { uuid } of said)
      await channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid } });
    await hears('"chat.message_deleted"', 3);
    await page.clock.fastForward(1_000);

    await page.evaluate("fetch('/v1/instance').then(() => null)");
    expect(asked).deep.equal(["/v1/instance"]);
  });

  it("is asked for again where a worker of an older release has refused it", async () => {
    const sockets: WebSocketRoute[] = [];
    await browser.context.routeWebSocket(/\/v1\/ws/, (socket) => {
      sockets.push(socket);
      const isOld = sockets.length === 1;
      const server = socket.connectToServer();
      socket.onMessage((frame) => {
        const { id, method, params } = JSON.parse(String(frame));
        if (!isOld || method !== "subscribe" || params.channel !== "user") return server.send(frame);
        const error = { code: "insufficient_scope", message: "", details: {} };
        return socket.send(JSON.stringify([{ type: "reply", id, error }]));
      });
    });
    const overlay = await createOverlay(channel, { kind: "chat" });
    await open(overlay);
    await sockets[0]?.close({ code: 1_012, reason: "restart" });
    for (let n = 0; n < 7; n++) await page.clock.fastForward(STEP_MS);
    await hears('"type":"subscribed","channel":"user"', 1);

    const params = { ...channel.at, overlay_id: overlay.id };
    await channel.owner.api.ok("updateOverlay", { params, body: { settings: { theme: "light" } } });

    await page.waitForSelector(".overlay[data-theme=light]");
  });
});
