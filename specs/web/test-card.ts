import { readFileSync } from "node:fs";
import type { BrowserContext, Page } from "playwright-core";

const FOLDER = new URL("../../api/live/playback/test-card/", import.meta.url);
const PARTS = 5;
const PART_S = 2;
/** Of the times in the parts: so many are a second. */
const TIMESCALE = 12_800;

const read = (file: string): Buffer => readFileSync(new URL(file, FOLDER));

/** A live playlist of the test card: `count` parts, of which the last ends at `endsAt`, Unix ms. */
export function livePlaylist({ count, endsAt }: { count: number; endsAt: number }): string {
  const begins = new Date(endsAt - count * PART_S * 1_000).toISOString();
  const parts = Array.from({ length: count }, (_, number) => `#EXTINF:${PART_S},\npart${number}.m4s\n`);
  return `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:${PART_S}
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-MAP:URI="init.mp4"
#EXT-X-PROGRAM-DATE-TIME:${begins}
${parts.join("")}`;
}

/** Answers what is below /pictures/ with the test card, whose parts go on from one another. */
export async function serveTestCard(context: BrowserContext, playlist: () => string): Promise<void> {
  await context.route("**/pictures/**", async (route) => {
    const file = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
    const [, number] = /^part(\d+)\.m4s$/.exec(file) ?? [];
    if (file === "index.m3u8")
      await route.fulfill({ contentType: "application/vnd.apple.mpegurl", body: playlist() });
    else if (file === "init.mp4") await route.fulfill({ contentType: "video/mp4", body: read(file) });
    else if (number !== undefined)
      await route.fulfill({ contentType: "video/mp4", body: partOf(Number(number)) });
    else await route.fulfill({ status: 404 });
  });
}

/** Answers what ends with clip.mp4 with two seconds of the test card, in pieces: players don't seek in anything else. */
export async function serveClip(page: Page): Promise<void> {
  const file = Buffer.concat([read("init.mp4"), partOf(0)]);
  await page.route("**/clip.mp4*", (route) => {
    const from = Number(/^bytes=(\d+)/.exec(route.request().headers().range ?? "")?.[1] ?? 0);
    const headers = { "Content-Range": `bytes ${from}-${file.length - 1}/${file.length}` };
    return route.fulfill({ status: 206, headers, contentType: "video/mp4", body: file.subarray(from) });
  });
}

/** `tfdt` is the box that has the time of its first frame, 64 bits behind its version and flags. */
function partOf(number: number): Buffer {
  const part = read(`part${number % PARTS}.m4s`);
  part.writeBigUInt64BE(BigInt(number * PART_S * TIMESCALE), part.indexOf("tfdt") + 8);
  return part;
}
