import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type RequestHandler, type Response, Router } from "express";
import type { ChannelPage, Seo } from "../../actors/seo/seo.ts";
import type { SitemapEntry } from "../../actors/seo/sitemap.ts";
import type { AdmitPages } from "../http/app.ts";
import { type Html, html, joined } from "../http/html.ts";
import { ifFound } from "../http/if-found.ts";

const USERNAME = /^[A-Za-z0-9_]{3,25}$/;
const FILE = /^channels-([1-9]\d{0,5})\.xml$/;
/** Characters per chunk. */
const CHUNK_SIZE = 16_384;
const SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9";

const STYLE = `:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
img { width: 6rem; height: 6rem; object-fit: cover; border-radius: 50%; }
`;

/** The texts are user content: nothing runs here, and nothing but pictures is loaded. */
const POLICY = [
  "default-src 'none'",
  "img-src http: https:",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

/** Serves what search engines read: robots.txt, the sitemap, and a page for each channel at /{username}. */
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
  const sendChannel: RequestHandler<{ username: string }> = async (req, res, next) => {
    const found = await ifFound(seo.ofUser(req.params.username.toLowerCase()));
    // Programs that don't accept HTML get the envelope.
    if (!found && !req.headers.accept?.includes("text/html")) return next();
    res.setHeader("Content-Security-Policy", POLICY);
    if (found) cacheFor(res, 30).type("html").send(channelPage(found).text);
    else res.status(404).type("html").send(NOT_FOUND_PAGE.text);
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
  router.get("/:username", onlyNames, page(sendChannel));
  return router;
}

const onlyNames: RequestHandler<{ username: string }> = (req, _res, next) =>
  next(USERNAME.test(req.params.username) ? undefined : "route");

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

const layout = (head: Html, body: Html): Html => html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}<style>${{ text: STYLE }}</style>
${body}</html>
`;

const NOT_FOUND_PAGE = layout(
  html`<title>Nobody is here</title>\n<meta name="robots" content="noindex">\n`,
  html`<h1>Nobody is here</h1>\n<p>There is no channel of this name.</p>\n`,
);

function channelPage({ seo, name, bio, channel: { user, stream, category, followers } }: ChannelPage): Html {
  const graph = Object.entries(seo.open_graph).map(([property, content]) =>
    property.startsWith("twitter:")
      ? html`<meta name="${property}" content="${content}">\n`
      : html`<meta property="${property}" content="${content}">\n`,
  );
  const keywords =
    seo.keywords.length > 0 ? html`<meta name="keywords" content="${seo.keywords.join(", ")}">\n` : html``;
  const head = html`<title>${seo.title}</title>
<meta name="description" content="${seo.description}">
${keywords}<link rel="canonical" href="${seo.canonical}">
${joined(graph)}<script type="application/ld+json">${inScript(seo.json_ld)}</script>
`;
  const links = Object.entries(user.socialLinks).filter(([, url]) => /^https?:\/\//i.test(url ?? ""));
  const about = category === null ? html`` : html` · ${category}`;
  return layout(
    head,
    html`<main>
${user.imageUrl === null ? html`` : html`<img src="${user.imageUrl}" alt="">\n`}<h1>${name}</h1>
<p>${stream.isLive ? "Live" : "Offline"}: ${stream.name}${about}</p>
<p>${followers} followers</p>
${bio === null ? html`` : html`<p>${bio}</p>\n`}<ul>
${joined(links.map(([network, url]) => html`<li><a rel="nofollow noopener ugc" href="${url ?? ""}">${network}</a></li>\n`))}</ul>
</main>
`,
  );
}

/** JSON in which no text ends the script element or begins a comment. */
const inScript = (value: object): Html => ({
  text: JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  }),
});
