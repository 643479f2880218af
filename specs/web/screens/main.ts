/**
 * `npm run screens`: the pictures of the documents anew, into docs/screens. With a folder's path as the argument, all pages as they
 * are, light, dark and on a phone, into that folder.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type Publisher, publishTestPicture } from "../../../deploy/development/media/test-picture.ts";
import { projectRoot } from "../../../deploy/processes/config/project.ts";
import { SECTIONS, sectionPath } from "../../../web/src/console/sections.ts";
import { SECTIONS as STAFF_SECTIONS, sectionPath as staffPath } from "../../../web/src/staff/sections.ts";
import { framed, openChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import { serviceHarness } from "../../support/service.ts";
import { closeStudio, mediaPrograms, openStudio } from "../../support/studio.ts";
import { pictureOf } from "../in-page.mjs";
import { signIn } from "../signed-in.ts";
import { signInStaff } from "../staff/sign-in-staff.ts";
import { busyEvening, staffed } from "./crew.ts";
import { LAST_LINE, openEvening } from "./evening.ts";

const PATIENT = { withinMs: 90_000, everyMs: 250 };
const [given] = process.argv.slice(2);
const FOLDER = given ?? join(projectRoot, "docs/screens");
const PICTURES = ["gradients", "testsrc2", "gradients"];

const FORMS = [
  ["light", "light", 1_280],
  ["dark", "dark", 1_280],
  ["phone", "dark", 360],
] as const;
const OF_DOCUMENTS = [
  ["watch", "dark"],
  ["watch", "phone"],
  ["home", "light"],
  ["whispers", "light"],
  ["console", "light"],
  ["desk", "dark"],
  ["case", "light"],
];

const { start, end } = serviceHarness("deploy/development/media/main.ts");
const browser = await openChromium();
const publishers: Publisher[] = [];
try {
  const programs = await mediaPrograms();
  if (!programs) throw new Error("A broadcast can't be shown.");
  mkdirSync(FOLDER, { recursive: true });
  const service = await start();
  const studio = await openStudio(service);
  const { rtmpUrl, client } = studio;
  const publish = (streamKey: string, source: string) =>
    publishers.push(
      publishTestPicture(programs.ffmpeg, { rtmpUrl, streamKey, source, size: "960x540", fps: 10 }, (line) =>
        console.error(line),
      ),
    );
  publish(studio.streamKey, "mandelbrot");
  const { viewer, guests, username, of } = await openEvening(service, studio);
  for (const [index, { streamKey }] of guests.entries()) publish(streamKey, PICTURES[index] ?? "testsrc");
  await eventually(async () => (await client.call("listStreams")).items.length > guests.length, PATIENT);

  await takeEmbeds(service.http, username);
  await signIn(browser.context, service.http, viewer);
  const page = await browser.context.newPage();
  const shoot = async (name: string, path: string, ready: () => Promise<unknown>): Promise<void> => {
    for (const [form, colorScheme, width] of FORMS) {
      if (given === undefined && !OF_DOCUMENTS.some(([one, its]) => one === name && its === form)) continue;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.goto("about:blank");
      await page.goto(service.http + path);
      await ready();
      await taken(page, `${name}-${form}`);
    }
  };
  const whole = () => page.waitForLoadState("networkidle");
  const playing = () => plays(page);
  await shoot("watch", `/${username}`, async () => {
    await playing();
    await page.waitForSelector(`text=${LAST_LINE}`);
    await page.waitForSelector(".prediction");
    // On a phone it stands in the other tab.
    await page.waitForSelector("[aria-pressed=true]", { state: "attached" });
  });
  // The pictures of live channels come a minute after their beginning.
  await eventually(async () => {
    const { items } = await client.call("listStreams");
    return items.every(({ thumbnail_url: url }) => url !== null);
  }, PATIENT);
  await shoot("home", "/", async () => {
    await whole();
    // What only a server in development shows stands above it.
    await page.locator("h2", { hasText: "Channels you follow" }).evaluate((title) => title.scrollIntoView());
  });
  for (const [name, path] of [
    ["following", "/following"],
    ["categories", "/categories"],
    ["search", "/search?q=a"],
    ["whispers", "/whispers/linus_t"],
    ["notifications", "/notifications"],
    ["settings", "/settings"],
    ["security", "/settings/security"],
    ["points", "/settings/points"],
    ["standing", "/settings/standing"],
    ["support", "/support"],
    ["not-found", "/nobody_is_here"],
    ["reference", "/docs/sockets#message-chat.message"],
  ] as const)
    await shoot(name, path, whole);
  await takeCrew();
  await signIn(browser.context, service.http, viewer);
  if (given !== undefined) await takeRecordings();
  await browser.context.clearCookies();
  await shoot("sign-in", "/sign-in", whole);
  await shoot("sign-up", "/sign-up", whole);
  for (const publisher of publishers.splice(0)) await publisher.stop();
  await closeStudio(service);

  /** The pages of the creator, of moderators and of staff. */
  async function takeCrew(): Promise<void> {
    await busyEvening(studio, of);
    await signIn(browser.context, service.http, { username }, studio.password);
    await shoot("console", "/console", playing);
    await shoot("desk", `/console/${username}/moderation`, async () => {
      await page.waitForSelector(".held .request");
      await whole();
    });
    for (const section of SECTIONS.filter((one) => one !== "stream"))
      await shoot(`console-${section}`, sectionPath(section), whole);
    const staff = await staffed(service, studio, of);
    await signInStaff(browser.context, service.http, staff);
    await shoot("case", "/staff", async () => {
      await page.click(".queue > li a >> nth=0");
      await page.waitForSelector(".versions");
      await whole();
    });
    for (const section of STAFF_SECTIONS) await shoot(`staff-${section}`, staffPath(section), whole);
  }

  /** A clip of the broadcast; then, once it is over, its video and the channel without it. */
  async function takeRecordings(): Promise<void> {
    const body = { stream_id: studio.streamId, title: "Into the valley", start_time: 5, end_time: 20 };
    const clip = await client.call("createClip", { body });
    const path = { clip_id: clip.id };
    await eventually(async () => (await client.call("getClip", { path })).status === "ready", PATIENT);
    await shoot("clip", `/clips/${clip.id}`, playing);
    await publishers.shift()?.stop();
    const [video] = await eventually(async () => {
      const { items } = await client.call("listVideos", { path: { username } });
      if (items.length === 0) throw new Error("there is no video yet");
      return items;
    }, PATIENT);
    await shoot("video", `/videos/${video?.id}`, playing);
    await shoot("offline", `/${username}`, whole);
  }
} finally {
  for (const publisher of publishers) await publisher.stop();
  await browser.close();
  await end();
}

async function taken(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  console.log(join(FOLDER, `${name}.png`));
}

async function plays(page: Page): Promise<void> {
  await page.waitForSelector("video");
  await eventually(async () => (await page.evaluate(pictureOf)).at > 1, { ...PATIENT, what: "it plays" });
}

/** Player and chat in a page of another site. */
async function takeEmbeds(http: string, username: string): Promise<void> {
  for (const [name, theme, width] of [
    ["light", "light", 1_000],
    ["dark", "dark", 1_000],
    ["narrow", "dark", 390],
  ] as const) {
    const isNarrow = width < 500;
    const { page } = await browser.foreignPage(
      (host) =>
        `<style>body{flex-direction:${isNarrow ? "column" : "row"};background:${theme === "dark" ? "#000" : "#fff"}}iframe{border:0}</style>` +
        `<iframe id="player" src="${http}/embed/player/${username}?parent=${host}" width="${isNarrow ? 390 : 660}" height="${isNarrow ? 220 : 480}" allow="autoplay"></iframe>` +
        `<iframe id="chat" src="${http}/embed/chat/${username}?parent=${host}&theme=${theme}" width="${isNarrow ? 390 : 340}" height="480"></iframe>`,
    );
    await page.setViewportSize({ width, height: isNarrow ? 700 : 480 });
    const player = await framed(page, "#player");
    await eventually(async () => (await player.evaluate(pictureOf)).at > 1, { ...PATIENT, what: "it plays" });
    await (await framed(page, "#chat")).waitForSelector(`text=${LAST_LINE}`);
    await player.hover("video");
    await taken(page, `embeds-${name}`);
    await page.close();
  }
}
