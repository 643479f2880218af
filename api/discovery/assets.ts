import { type RequestHandler, Router } from "express";
import type { AdmitPages } from "../http/admit-pages.ts";
import type { WebFiles } from "./web-files.ts";

const YEAR_S = 31_536_000;
const PAGE_S = 30;

/** Serves the scripts and style sheets of the site and of the embeds. */
export function assetFiles({ files }: WebFiles, { page }: AdmitPages): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const send: RequestHandler<{ file: string }> = (req, res, next) => {
    const file = files.get(req.params.file);
    if (!file) return next();
    res.setHeader("Content-Type", file.type);
    res.setHeader(
      "Cache-Control",
      `public, max-age=${file.isNamedByContent ? `${YEAR_S}, immutable` : PAGE_S}`,
    );
    // A sandboxed page of the service, or one with cross-origin isolation, loads them as well.
    res.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    res.vary("Accept-Encoding");
    if (file.brotli && req.acceptsEncodings("br") === "br") {
      res.setHeader("Content-Encoding", "br");
      res.end(file.brotli);
    } else res.end(file.bytes);
  };
  router.get("/embed/assets/:file", page(send));
  router.get("/assets/:file", page(send));
  return router;
}
