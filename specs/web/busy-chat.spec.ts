// @alone: it measures how long a browser works on a frame
import { expect } from "chai";
import type { Frame, Page } from "playwright-core";
import { createClient } from "../../clients/typescript/src/index.ts";
import { framed, needsChromium, openChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { CheckedSocket } from "../support/frames/checked-socket.ts";
import { givenChannels, type Person } from "../support/given-channels.ts";
import { openWorld, type World } from "../support/world.ts";
import { watchWork, workSoFar } from "./in-page.mjs";
import { servePublicFiles } from "./public-files.ts";
import { signIn } from "./signed-in.ts";

/** A minute by `LIVECORE_CHAT_SECONDS=60`. */
const SECONDS = Number(process.env.LIVECORE_CHAT_SECONDS ?? 3);
const A_SECOND = 200;
/** VIPs may say a hundred things in half a minute each. Fifty each, and in a minute no more than 75 in half of it. */
const TALKERS = Math.min(4 * SECONDS, 80);
/** Twice what a browser calls a long task, since other processes may take the processor from it. */
const LONGEST_TASK_MS = 100;
const FRAME_WORK_MS = 8;

describe("a busy chat in a browser", function () {
  this.timeout((SECONDS + 60) * 1_000);
  let world: World;
  let browser: Awaited<ReturnType<typeof openChromium>>;

  before(async function () {
    needsChromium(this);
    world = await openWorld();
    browser = await openChromium();
    await servePublicFiles(browser.context, world.baseUrl);
  });
  after(async () => {
    await browser?.close();
    await world?.close();
  });

  const rate = `${A_SECOND} messages a second, for ${SECONDS} s`;

  it(`costs little in an embed at ${rate}`, async () => {
    const pages: Page[] = [];
    await costsLittle(async (owner) => {
      const { page } = await browser.foreignPage(
        (host) =>
          `<iframe src="${world.baseUrl}/embed/chat/${owner.username}?parent=${host}" width=340 height=600></iframe>`,
      );
      pages.push(page);
      return framed(page);
    });
    for (const page of pages) await page.close();
  });

  it(`costs little on the watch page, for a signed-in reader, at ${rate}`, async () => {
    const reader = await givenChannels(world).user();
    await signIn(browser.context, world.baseUrl, reader);
    const page = await browser.context.newPage();
    page.on("pageerror", (err) => browser.complaints.push(err.message));
    await costsLittle(async (owner) => {
      await page.goto(`${world.baseUrl}/${owner.username}`);
      await page.waitForSelector(".draft textarea");
      return page;
    });
    await page.close();
  });

  it(`costs little on the moderators' desk, at ${rate}`, async () => {
    const page = await browser.context.newPage();
    page.on("pageerror", (err) => browser.complaints.push(err.message));
    await costsLittle(async (owner) => {
      await signIn(browser.context, world.baseUrl, owner);
      await page.goto(`${world.baseUrl}/console/${owner.username}/moderation`);
      await page.waitForSelector(".draft textarea");
      return page;
    });
    await page.close();
  });

  async function costsLittle(open: (owner: Person) => Promise<Page | Frame>): Promise<void> {
    const given = givenChannels(world);
    const channel = await given.channel();
    const { owner, stream } = channel;
    const talkers = await Promise.all(Array.from({ length: TALKERS }, () => given.vipOf(channel)));
    const chat = await open(owner);
    await chat.waitForSelector("text=No messages yet.");
    await chat.evaluate(watchWork);

    const sent = await talk(talkers, stream.id);
    await chat.waitForSelector(`text=${sent} of ${sent}`);
    const work = await chat.evaluate(workSoFar);
    const median = work.frames.toSorted((a, b) => a - b)[Math.floor(work.frames.length / 2)] ?? Number.NaN;
    process.stdout.write(
      `      ${sent} messages, ${work.frames.length} frames: median ${median.toFixed(1)} ms, ${work.tasks.length} long tasks (${work.tasks.join(", ")}), ${work.lines} lines at most\n`,
    );
    expect(work.tasks.filter((ms) => ms > LONGEST_TASK_MS)).deep.equal([]);
    expect(median).most(FRAME_WORK_MS);
    expect(work.lines).most(60);
    expect(browser.complaints).deep.equal([]);
  }

  /** All of them in turns, at the rate of the room; resolves with how much was sent once all of it was taken. */
  async function talk(talkers: Person[], streamId: string): Promise<number> {
    const lives = talkers.map(({ token }) =>
      createClient({
        baseUrl: world.baseUrl,
        WebSocket: CheckedSocket,
        auth: { mode: "bearer", tokens: { accessToken: token, refreshToken: "" } },
      }).live(),
    );
    try {
      // What waits for its socket would be sent at once with what follows it.
      for (const live of lives) await live.call("ping", {});
      const total = SECONDS * A_SECOND;
      const saying: Promise<unknown>[] = [];
      const refused: unknown[] = [];
      const startedAt = performance.now();
      await new Promise<void>((done) => {
        const timer = setInterval(() => {
          const due = Math.min(total - 1, Math.floor(((performance.now() - startedAt) / 1_000) * A_SECOND));
          while (saying.length < due) {
            const n = saying.length + 1;
            const said = lives[n % lives.length]?.say(streamId, `${n} of ${total}`);
            saying.push(said?.catch((err: unknown) => refused.push(err)) ?? Promise.resolve());
          }
          if (due < total - 1) return;
          clearInterval(timer);
          done();
        }, 10);
      });
      await Promise.all(saying);
      // A machine that is busy with something else may refuse some.
      expect(refused.length, String(refused[0])).below(total / 10);
      await eventually(() => lives[0]?.say(streamId, `${total} of ${total}`));
      return total;
    } finally {
      for (const live of lives) live.close();
    }
  }
});
