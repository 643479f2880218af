import { readFileSync } from "node:fs";
import { type RequestHandler, Router } from "express";
import { createEdgeLinks, type Edge } from "../../../actors/live/playback/edge-links.ts";
import type { Clock } from "../../../base/clock.ts";
import type { AdmitPages } from "../../http/admit-pages.ts";

const PARTS = 5;
const PART_S = 2;
/** Of the times in the parts: so many are a second. */
const TIMESCALE = 12_800;
/** How many parts a playlist lists: a player begins three before the end. */
const LISTED = 6;
const PART = /^part(\d{1,10})\.m4s$/;
const ADDRESS = "/edge/:keyId/:signature/:expires/:name/:file";

type Params = { keyId: string; signature: string; expires: string; name: string; file: string };

const read = (file: string) => readFileSync(new URL(`./test-card/${file}`, import.meta.url));

/**
 * An edge for development: it plays the test card in a loop for every channel, live and without end. It takes signed addresses alone,
 * as a real edge does. Recordings and clips aren't there.
 */
export function developmentEdge(
  { edge, clock }: { edge: Edge; clock: Clock },
  { media }: AdmitPages,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const links = createEdgeLinks({ edge, clock });
  const init = read("init.mp4");
  const parts = Array.from({ length: PARTS }, (_, number) => read(`part${number}.m4s`));

  function contentOf(file: string): Buffer | string | null {
    if (file === "index.m3u8") return playlistAt(clock.now());
    if (file === "init.mp4") return init;
    const [, digits] = PART.exec(file) ?? [];
    const part = digits === undefined ? undefined : parts[Number(digits) % PARTS];
    return part ? partAt(part, Number(digits)) : null;
  }

  const send: RequestHandler<Params> = ({ params }, res, next) => {
    const { keyId, signature, expires, name, file } = params;
    const content = contentOf(file);
    if (content === null || !links.accepts({ keyId, signature, expires: Number(expires), name }))
      return next();
    res.setHeader("Content-Type", file === "index.m3u8" ? "application/vnd.apple.mpegurl" : "video/mp4");
    res.setHeader("Cache-Control", "no-store");
    // The service may be open under another name than PUBLIC_URL's, such as 127.0.0.1.
    res.setHeader("Access-Control-Allow-Origin", "*");
    res.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    res.end(content);
  };
  router.get(ADDRESS, media, send);
  return router;
}

/**
 * The parts of the last twelve seconds, as if the card had played since 1970, so that all workers say the same. A part is named by its
 * number since then.
 */
function playlistAt(nowMs: number): string {
  const first = Math.floor(nowMs / 1_000 / PART_S) - LISTED;
  const parts = Array.from({ length: LISTED }, (_, i) => `#EXTINF:${PART_S},\npart${first + i}.m4s\n`);
  return `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:${PART_S}
#EXT-X-MEDIA-SEQUENCE:${first}
#EXT-X-MAP:URI="init.mp4"
${parts.join("")}`;
}

/** A part whose time goes on from the one before, in each round: `tfdt` is the box that has the time of its first frame. */
function partAt(part: Buffer, number: number): Buffer {
  const moved = Buffer.from(part);
  // Behind the box's name are its version, 1, and flags; the time has 64 bits.
  moved.writeBigUInt64BE(BigInt(number * PART_S * TIMESCALE), moved.indexOf("tfdt") + 8);
  return moved;
}
