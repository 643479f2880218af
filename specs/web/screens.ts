/** `npm run screens`: pictures of the embeds and of the pages as they are, light, dark and on a phone, into docs/screens. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../../clients/typescript/src/index.ts";
import { publishTestPicture } from "../../deploy/development/media/test-picture.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { framed, openChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { serviceHarness } from "../support/service.ts";
import { closeStudio, mediaPrograms, openStudio } from "../support/studio.ts";
import { pictureOf } from "./in-page.mjs";

const PATIENT = { withinMs: 60_000, everyMs: 250 };
const FOLDER = join(projectRoot, "docs/screens");
const LINES: [name: string, text: string][] = [
  ["ada", "good evening from Turin"],
  ["grace", "is that the new parser?"],
  ["linus", "it compiles!"],
  ["margaret", "the tests are green as well, all of them"],
  ["ada", "<img src=x onerror=alert(1)> is text here, as it should be"],
  ["barbara", "who broke the build though"],
  ["grace", "nobody saw anything"],
  ["linus", "one more run and it's fast"],
];

const FORMS = [
  ["light", "light", 1_280],
  ["dark", "dark", 1_280],
  ["phone", "dark", 360],
] as const;

const { start, end } = serviceHarness("deploy/development/media/main.ts");
const browser = await openChromium();
const publishers: { stop(): Promise<void> }[] = [];
try {
  const programs = await mediaPrograms();
  if (!programs) throw new Error("A broadcast can't be shown.");
  const service = await start();
  const { client: studio, username, streamId, rtmpUrl, streamKey } = await openStudio(service);
  publishers.push(publishTestPicture(programs.ffmpeg, { rtmpUrl, streamKey }, (line) => console.error(line)));

  const people = new Map<string, ReturnType<typeof createClient>>();
  for (const [name] of LINES) {
    if (people.has(name)) continue;
    const client = createClient({ baseUrl: service.http });
    const body = {
      username: `${name}_l`,
      email: `${name}@example.com`,
      password: "a long phrase for pictures",
    };
    await client.call("register", { body });
    people.set(name, client);
  }
  for (const [name, content] of LINES)
    await people.get(name)?.call("sendChatMessage", { path: { stream_id: streamId }, body: { content } });
  await studio.call("createPoll", {
    path: { stream_id: streamId },
    body: { question: "What next?", options: ["A lexer", "A garbage collector"], duration_sec: 120 },
  });

  mkdirSync(FOLDER, { recursive: true });
  for (const [name, theme, width] of [
    ["light", "light", 1_000],
    ["dark", "dark", 1_000],
    ["narrow", "dark", 390],
  ] as const) {
    const isNarrow = width < 500;
    const { page } = await browser.foreignPage(
      (host) =>
        `<style>body{flex-direction:${isNarrow ? "column" : "row"};background:${theme === "dark" ? "#000" : "#fff"}}iframe{border:0}</style>` +
        `<iframe id="player" src="${service.http}/embed/player/${username}?parent=${host}" width="${isNarrow ? 390 : 660}" height="${isNarrow ? 220 : 480}" allow="autoplay"></iframe>` +
        `<iframe id="chat" src="${service.http}/embed/chat/${username}?parent=${host}&theme=${theme}" width="${isNarrow ? 390 : 340}" height="480"></iframe>`,
    );
    await page.setViewportSize({ width, height: isNarrow ? 700 : 480 });
    const player = await framed(page, "#player");
    await eventually(async () => (await player.evaluate(pictureOf)).at > 1, { ...PATIENT, what: "it plays" });
    await (await framed(page, "#chat")).waitForSelector(`text=${LINES.at(-1)?.[1]}`);
    await player.hover("video");
    await page.screenshot({ path: join(FOLDER, `embeds-${name}.png`) });
    console.log(`docs/screens/embeds-${name}.png`);
    await page.close();
  }
  const page = await browser.context.newPage();
  for (const [name, path] of [
    ["home", "/"],
    ["channel", `/${username}`],
    ["categories", "/categories"],
    ["search", "/search?q=ada"],
    ["sign-in", "/sign-in"],
    ["sign-up", "/sign-up"],
    ["events", "/docs/sockets#message-chat.message"],
  ] as const) {
    for (const [form, colorScheme, width] of FORMS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.goto("about:blank");
      await page.goto(service.http + path);
      if (name === "channel") {
        await page.waitForSelector("video");
        await eventually(async () => (await page.evaluate(pictureOf)).at > 1, {
          ...PATIENT,
          what: "it plays",
        });
        await page.waitForSelector(`text=${LINES.at(-1)?.[1]}`);
      } else await page.waitForLoadState("networkidle");
      await page.screenshot({ path: join(FOLDER, `${name}-${form}.png`) });
      console.log(`docs/screens/${name}-${form}.png`);
    }
  }
  for (const publisher of publishers.splice(0)) await publisher.stop();
  await closeStudio(service);
} finally {
  for (const publisher of publishers) await publisher.stop();
  await browser.close();
  await end();
}
