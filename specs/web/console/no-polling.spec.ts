// @waits: for a browser.
import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpChromium } from "../../support/chromium.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { servePublicFiles } from "../public-files.ts";
import { signIn } from "../signed-in.ts";
import { setUpPage } from "./set-up-page.ts";

/** Five minutes, in steps in which no socket seems dead. */
const STEPS = 30;
const STEP_MS = 10_000;
/** The frame's list of followed channels, and the signed address of what the preview plays, which ends. */
const OF_OTHERS = /\/v1\/(discovery\/following|streams\/[^/]+\/playback)/;
const SOON = { withinMs: 10_000, everyMs: 20 };

describe("pages that follow a live channel", function () {
  this.timeout(90_000);
  const browser = setUpChromium();
  const { world, given } = setUpWorld({ clock: movableClock() });
  const { page } = setUpPage(browser);
  let channel: Channel;

  before(() => servePublicFiles(browser.context, world.baseUrl));
  beforeEach(async () => {
    channel = await given.liveChannel();
    await signIn(browser.context, world.baseUrl, channel.owner);
  });

  /** What that page asks the service for while nothing happens. */
  async function askedBy(on: Page, path: string): Promise<string[]> {
    const asked: string[] = [];
    let isPinging = false;
    on.on("websocket", (socket) => {
      socket.on("framesent", ({ payload }) => {
        isPinging ||= String(payload).includes('"ping"');
      });
      socket.on("framereceived", () => {
        isPinging = false;
      });
    });
    await on.clock.install();
    await on.goto(world.baseUrl + path, { waitUntil: "networkidle" });
    await on.waitForSelector(".talk >> text=No messages yet.");
    on.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/v1/") && !OF_OTHERS.test(pathname)) asked.push(pathname);
    });
    const pass = async (): Promise<void> => {
      await on.clock.runFor(STEP_MS);
      await eventually(() => expect(isPinging).equal(false), SOON);
    };
    // What the socket's first events let it read comes a little later.
    for (let quiet = 0, steps = 0; quiet < 3 && steps < STEPS; steps++) {
      const before = asked.length;
      await pass();
      quiet = asked.length === before ? quiet + 1 : 0;
    }
    asked.length = 0;
    for (let step = 0; step < STEPS; step++) await pass();
    // The socket was there all along, and brings what happens then.
    await channel.owner.api.ok("sendChatMessage", { params: channel.at, body: { content: "hello" } });
    await on.waitForSelector(".talk .line >> text=hello");
    return asked;
  }

  it("ask for nothing while nothing happens: the stream page", async () => {
    expect(await askedBy(page(), "/console")).deep.equal([]);
  });

  it("ask for nothing while nothing happens: the moderators' desk", async () => {
    expect(await askedBy(page(), `/console/${channel.owner.username}/moderation`)).deep.equal([]);
  });
});
