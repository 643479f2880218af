import { type RequestHandler, Router } from "express";
import type { AdmitPages } from "../http/admit-pages.ts";
import type { WebFiles } from "./web-files.ts";

const YEAR_S = 31_536_000;
const PAGE_S = 30;

/** A service worker has a policy of its own: it loads nothing, not even by a fault in it. */
const WORKER_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Serves the scripts and style sheets of the site and of the embeds, and the site's service worker. */
export function assetFiles({ files, pushWorker }: WebFiles, { page }: AdmitPages): Router {
  const router = Router({ caseSensitive: true, strict: true });
  // At the root, so that its scope is the whole site. Browsers ask for a newer one by themselves, and get no cached one.
  const sendWorker: RequestHandler = (_req, res) => {
    res.setHeader("Content-Type", pushWorker.type);
    res.setHeader("Cache-Control", "no-cache");
    res.setHeader("Content-Security-Policy", WORKER_POLICY);
    res.end(pushWorker.bytes);
  };
  router.get("/push-worker.js", page(sendWorker));
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
