import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type RequestHandler, type Response, Router } from "express";
import type { Seo } from "../../../actors/discovery/seo/seo.ts";
import type { SitemapEntry } from "../../../actors/discovery/seo/sitemap.ts";
import type { AdmitPages } from "../../http/admit-pages.ts";
import { html, joined } from "../../http/html.ts";

const FILE = /^channels-([1-9]\d{0,5})\.xml$/;
/** Characters per chunk. */
const CHUNK_SIZE = 16_384;
const SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** Serves what search engines read: robots.txt and the sitemap. */
export function seoPages(seo: Seo, { page, file }: AdmitPages): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const sendRobots: RequestHandler = (_req, res) => {
    cacheFor(res, 3_600).type("text/plain").send(robots(seo.publicUrl));
  };
  const sendIndex: RequestHandler = async (_req, res) => {
    const files = await seo.sitemap.files();
    const items = files.map((url) => html`<sitemap><loc>${url}</loc></sitemap>\n`);
    cacheFor(res, 600)
      .type("application/xml; charset=utf-8")
      .send(xml("sitemapindex", joined(items).text));
  };
  router.get("/robots.txt", page(sendRobots));
  router.get("/sitemap.xml", page(sendIndex));
  router.get("/sitemaps/:file", file, (async (req, res, next) => {
    const number = FILE.exec(req.params.file)?.[1];
    const entries = number === undefined ? null : await seo.sitemap.entries(Number(number));
    if (!entries) return next();
    cacheFor(res, 600).type("application/xml; charset=utf-8");
    if (req.method === "HEAD") return void res.end();
    await sendSitemap(res, entries);
  }) satisfies RequestHandler<{ file: string }>);
  return router;
}

const cacheFor = (res: Response, seconds: number): Response =>
  res.setHeader("Cache-Control", `public, max-age=${seconds}`) as Response;

const robots = (publicUrl: string) =>
  `User-agent: *\nDisallow: /v1/\nDisallow: /account/\n\nSitemap: ${publicUrl}/sitemap.xml\n`;

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>\n`;
const xml = (root: string, content: string) => `${HEAD}<${root} xmlns="${SITEMAPS}">\n${content}</${root}>\n`;

/** Sends with back-pressure. An error on the way cuts off the answer, which an XML parser notices. */
async function sendSitemap(res: Response, entries: AsyncIterable<SitemapEntry>): Promise<void> {
  // Many lines per chunk, since each chunk goes through the stream by itself.
  async function* parts(): AsyncGenerator<string> {
    let part = `${HEAD}<urlset xmlns="${SITEMAPS}">\n`;
    for await (const { url, changedAt } of entries) {
      part += html`<url><loc>${url}</loc><lastmod>${changedAt.toISOString()}</lastmod></url>\n`.text;
      if (part.length < CHUNK_SIZE) continue;
      yield part;
      part = "";
    }
    yield `${part}</urlset>\n`;
  }
  try {
    await pipeline(Readable.from(parts()), res);
  } catch (err) {
    // The client has disconnected.
    if (err instanceof Error && "code" in err && err.code === "ERR_STREAM_PREMATURE_CLOSE") return;
    throw err;
  }
}
