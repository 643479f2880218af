import { type RequestHandler, Router } from "express";
import type { AdmitPages } from "../../http/admit-pages.ts";
import type { Instance } from "./instance.ts";

/**
 * An SVG may hold scripts and loads. As a picture of a page it runs and loads nothing; opened by itself, neither does it by this
 * policy, which lets its own style through alone.
 */
const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
  "X-Content-Type-Options": "nosniff",
  // Front ends of other origins show it, too.
  "Cross-Origin-Resource-Policy": "cross-origin",
};
const FOREVER = "public, max-age=31536000, immutable";
const FOR_A_MINUTE = "public, max-age=60";

/**
 * Serves the instance's logo. During a rolling start with another logo, workers are asked for each other's: they answer with the one
 * that they have, which isn't kept for long then.
 */
export function logoFile({ logo }: Pick<Instance, "logo">, { media }: AdmitPages): Router {
  const router = Router({ caseSensitive: true, strict: true });
  if (logo === null) return router;
  const send: RequestHandler<{ file: string }> = (req, res, next) => {
    const [, hash] = /^([0-9a-f]{16})\.[a-z]+$/.exec(req.params.file) ?? [];
    if (hash === undefined) return next();
    for (const [header, value] of Object.entries(HEADERS)) res.setHeader(header, value);
    res.setHeader("Content-Type", logo.type);
    res.setHeader("Cache-Control", hash === logo.hash ? FOREVER : FOR_A_MINUTE);
    res.end(logo.bytes);
  };
  router.get("/instance/logo/:file", media, send);
  return router;
}
