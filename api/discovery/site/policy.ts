import { createHash } from "node:crypto";
import type { Script } from "../web-files.ts";

const sha256 = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

type Allowed = {
  /** The page's own script. */
  inline: string;
  /** Its own style. */
  style: string;
  /** Scripts that it names besides. */
  preloaded: readonly Script[];
  /** Origin of the video. */
  edge: string;
};

/**
 * The policy of the site's pages. One inline script runs, by its digest, and what that one loads. Text can't become script: the one
 * policy for trusted types lets the player name its worker.
 */
export function sitePolicy({ inline, style, preloaded, edge }: Allowed): string {
  const digests = preloaded.map(({ integrity }) => `'${integrity}'`);
  return [
    "default-src 'none'",
    `script-src ${[sha256(inline), ...digests].join(" ")} 'strict-dynamic'`,
    `style-src 'self' ${sha256(style)}`,
    // Pictures of channels, emotes and previews are wherever their files are; a cropped one is shown before it is sent.
    "img-src 'self' http: https: blob: data:",
    `connect-src 'self' ${edge}`,
    `media-src 'self' blob: ${edge}`,
    // The console shows overlays.
    "frame-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types default",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
