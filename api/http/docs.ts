import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import express, { type RequestHandler, Router } from "express";
import helmet from "helmet";
import { readAsyncApi } from "../../contract/asyncapi-document.ts";
import type { OpenApiDocument } from "../../contract/openapi-document.ts";
import { CONTENTS_SCRIPT, DOCS_STYLE } from "./docs-layout.ts";
import { createGuides, PICTURES } from "./guides.ts";
import type { PageSite } from "./page-layout.ts";
import { restPage, START } from "./rest-page.ts";
import { socketsPage } from "./sockets-page.ts";

const ASSETS = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const SERVED_ASSETS = new Set(["/swagger-ui.css", "/swagger-ui-bundle.js"]);

type Deps = {
  site: PageSite;
  document: OpenApiDocument;
  /** The folder of the Markdown pages; without it there are no guides. */
  guides?: string | undefined;
};

/**
 * What people read: the contract of REST at /docs, that of the sockets at /docs/sockets, and the guides at /docs/guides. Everything
 * that the pages need is served from here.
 */
export function docsPage({ site, document, guides: folder }: Deps): Router {
  const router = Router();
  // Not before somebody reads them: they take as long as many routes.
  const once = (make: () => string) => {
    let made: string | null = null;
    return (): string => {
      made ??= make();
      return made;
    };
  };
  const rest = once(() => restPage(site, document));
  const sockets = once(() => socketsPage(site, readAsyncApi()));
  let guides: ReturnType<typeof createGuides> | null = null;
  const readGuides = () => {
    guides ??= createGuides(folder ?? "", site);
    return guides;
  };
  const sendGuide: RequestHandler = (req, res, next) => {
    const path = req.path.slice("/guides/".length);
    const page = readGuides().page(path);
    if (page === null) next();
    else res.type("html").send(page);
  };

  router.use(ownScripts);
  router.get("/", swaggerScripts, (_req, res) => void res.type("html").send(rest()));
  router.get("/sockets", (_req, res) => void res.type("html").send(sockets()));
  if (folder !== undefined) {
    router.get("/guides", (_req, res) => void res.type("html").send(readGuides().index()));
    router.use(
      `/guides/${PICTURES}`,
      express.static(join(folder, PICTURES), { index: false, redirect: false, maxAge: "1h" }),
    );
    router.get("/guides/*path", sendGuide);
  }
  const file = (type: string, content: string): RequestHandler => {
    return (_req, res) => void res.set("Cache-Control", "public, max-age=300").type(type).send(content);
  };
  router.get("/docs.css", file("css", DOCS_STYLE));
  router.get("/contents.js", file("js", CONTENTS_SCRIPT));
  router.get("/start.js", file("js", START));
  router.use("/assets", onlyServed, express.static(ASSETS, { index: false, maxAge: "1h" }));
  return router;
}

/** These don't fall back to the default. */
const NOTHING = { frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] };

/** The pages run the script of their table of contents alone. */
const ownScripts = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    ...NOTHING,
  },
});

/** Swagger UI sets styles from its script, and asks this service; nothing may come from or go to another host. */
const swaggerScripts = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", "data:"],
    ...NOTHING,
  },
});

/** The package's folder has more files than the page needs. */
const onlyServed: RequestHandler = (req, _res, next) =>
  next(SERVED_ASSETS.has(req.path) ? undefined : "router");
