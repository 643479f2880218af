import { type RequestHandler, Router } from "express";
import type { StreamCard } from "../../../contract/wire.ts";
import type { AdmitPages } from "../../http/admit-pages.ts";
import { createAnswerCache } from "../../http/answer-cache.ts";
import { type Html, html, joined } from "../../http/html.ts";
import { pageLayout, pagePolicy, rootOf, SITE_STYLE } from "../../http/page-layout.ts";
import { type Development, developmentPart } from "./development-part.ts";

/** How many channels the page shows. */
const SHOWN = 12;
const CACHE_S = 2;

const STYLE = `${SITE_STYLE}
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 1rem; padding: 0; list-style: none; }
.card { position: relative; }
.picture { display: grid; place-items: center; width: 100%; aspect-ratio: 16 / 9; object-fit: cover; border-radius: .4rem; background: #2b2440; color: #fff; font-size: 2.5rem; font-weight: 700; }
.card a { color: inherit; text-decoration: none; display: block; }
.card a:hover .name { text-decoration: underline; }
.card p { margin: .25rem 0 0; }
.name { font-weight: 700; }
.live { position: absolute; top: .5rem; left: .5rem; background: var(--live); color: #fff; font-weight: 700; padding: .1em .5em; border-radius: .2rem; }
.box { background: var(--raised); border: 1px solid var(--line); border-radius: .4rem; padding: 0 1rem .5rem; margin-top: 2.5rem; }
.box h2 { margin-top: 1rem; }
`;

type FrontPageDeps = {
  publicUrl: string;
  /** Live streams that anybody may see, those with most viewers first. */
  live: (limit: number) => Promise<readonly StreamCard[]>;
  /** Null in production. */
  development: Development | null;
  /** Monotonic, ms. */
  now: () => number;
};

/** Serves the front page at /: what this is, who is live, and where to read on. It is static HTML without scripts. */
export function frontPage(
  { publicUrl, live, development, now }: FrontPageDeps,
  { page }: AdmitPages,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const root = rootOf(publicUrl);
  const form = development?.evening ? "form-action 'self'" : "form-action 'none'";
  const policy = pagePolicy(STYLE, [form]);
  const cache = createAnswerCache({ ttlMs: CACHE_S * 1_000, maxEntries: 4, maxBytes: 1024 * 1024, now });

  async function make(): Promise<Buffer> {
    const cards = await live(SHOWN);
    const part = development ? developmentPart(root, development, cards.length > 0) : html``;
    return Buffer.from(frontPageHtml({ root, publicUrl, cards, part }).text);
  }

  const send: RequestHandler = async (_req, res) => {
    // What is shown of the demo evening changes at once.
    const { answer } = cache.get(development?.evening?.state().status ?? "", make);
    const body = await answer;
    res.setHeader("Content-Security-Policy", policy);
    res.setHeader("Cache-Control", development ? "no-store" : `public, max-age=${CACHE_S}`);
    // Without it browsers send a form's Origin as null.
    if (development) res.setHeader("Referrer-Policy", "same-origin");
    res.type("html").send(body);
  };
  router.get("/", page(send));
  return router;
}

type Shown = { root: string; publicUrl: string; cards: readonly StreamCard[]; part: Html };

function frontPageHtml({ root, publicUrl, cards, part }: Shown): Html {
  return pageLayout({
    root,
    title: "livecore",
    style: STYLE,
    head: html`<meta name="description" content="Watch live channels and talk in their chats.">
<link rel="canonical" href="${publicUrl}/">
`,
    main: html`<h1>Live on this server</h1>
${cards.length === 0 ? html`<p>Nobody is live right now.</p>\n` : html`<ul class="cards">\n${joined(cards.map((card) => cardOf(root, card)))}</ul>\n`}${part}<h2>Build on it</h2>
<ul>
<li><a href="${root}docs">REST API</a>: every operation, with examples to try. As a file: <a href="${root}v1/openapi.json">openapi.json</a></li>
<li><a href="${root}docs/sockets">Events</a>: topics, commands and messages of the sockets. As a file: <a href="${root}v1/asyncapi.json">asyncapi.json</a></li>
<li><a href="${root}docs/guides">Guides</a>: embeds, chat, payments, media, operation</li>
</ul>
`,
  });
}

function cardOf(
  root: string,
  { name, user, category, thumbnail_url, realtime_viewer_count }: StreamCard,
): Html {
  const viewers = `${realtime_viewer_count} ${realtime_viewer_count === 1 ? "viewer" : "viewers"}`;
  const title = user.username_title ?? user.username;
  const picture =
    thumbnail_url === null
      ? html`<span class="picture" aria-hidden="true">${[...title][0] ?? ""}</span>`
      : html`<img class="picture" src="${thumbnail_url}" alt="">`;
  return html`<li class="card"><a href="${root}${user.username}">${picture}<span class="live">Live</span>
<p class="name"><span dir="auto">${name}</span></p><p><span dir="auto">${title}</span></p><p class="quiet">${category ? html`${category.name} · ` : html``}${viewers}</p></a></li>
`;
}
