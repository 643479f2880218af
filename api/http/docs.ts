import { createRequire } from "node:module";
import { dirname } from "node:path";
import express, { type RequestHandler, Router } from "express";
import helmet from "helmet";
import { readAsyncApi } from "../../specs/contract/asyncapi-document.ts";
import { SOCKETS_STYLE, socketsPage } from "./sockets-page.ts";

const ASSETS = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const SERVED_ASSETS = new Set(["/swagger-ui.css", "/swagger-ui-bundle.js", "/favicon-32x32.png"]);

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>livecore: REST API</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<body><p><a href="/docs/sockets">Socket documentation</a></p><div id="page"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
`;
const START = `SwaggerUIBundle({ url: "/v1/openapi.json", dom_id: "#page", deepLinking: true, validatorUrl: null });\n`;

/**
 * The contract to read and to try, at /docs, and that of the sockets at /docs/sockets; everything it needs is served from
 * here.
 */
export function docsPage(): Router {
  const router = Router();
  router.use(
    // The page sets styles from its script; nothing may come from or go to another host.
    helmet.contentSecurityPolicy({
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", "data:"],
        // These three don't fall back to the default.
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
      },
    }),
  );
  let sockets: string | null = null;
  router.get("/sockets", noScripts, (_req, res) => {
    // Not before somebody reads it: it takes as long as many routes.
    sockets ??= socketsPage(readAsyncApi());
    res.type("html").send(sockets);
  });
  router.get("/sockets.css", (_req, res) => void res.type("css").send(SOCKETS_STYLE));
  router.get("/", (_req, res) => void res.type("html").send(PAGE));
  router.get("/start.js", (_req, res) => void res.type("js").send(START));
  router.use("/assets", onlyServed, express.static(ASSETS, { index: false, maxAge: "1h" }));
  return router;
}

/** That page has no scripts. */
const noScripts = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
  },
});

/** The package's folder has more files than the page needs. */
const onlyServed: RequestHandler = (req, _res, next) =>
  next(SERVED_ASSETS.has(req.path) ? undefined : "router");
