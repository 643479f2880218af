import { readFileSync } from "node:fs";
import { type RequestHandler, Router } from "express";
import type { AdmitPages } from "./admit-pages.ts";

const DAY_S = 86_400;
const ICONS = [
  ["favicon.svg", "image/svg+xml"],
  ["favicon.ico", "image/x-icon"],
] as const;

/** Serves the icon that browsers show beside a page's title. */
export function iconFiles({ media }: Pick<AdmitPages, "media">): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [file, type] of ICONS) {
    const bytes = readFileSync(new URL(`./icons/${file}`, import.meta.url));
    const send: RequestHandler = (_req, res) => {
      res.setHeader("Content-Type", type);
      res.setHeader("Cache-Control", `public, max-age=${DAY_S}`);
      res.end(bytes);
    };
    router.get(`/${file}`, media, send);
  }
  return router;
}
