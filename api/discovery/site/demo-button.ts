import type { IncomingHttpHeaders } from "node:http";
import { type RequestHandler, Router } from "express";
import { hostIn, isThisMachine } from "../../../base/this-machine.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { AdmitPages } from "../../http/admit-pages.ts";
import { type Html, html } from "../../http/html.ts";
import { type PageSite, pageLayout, pagePolicy, rootOf, SITE_STYLE } from "../../http/page-layout.ts";
import type { EveningControl, EveningState } from "./development.ts";

/** How often the page looks whether the evening is live. */
const REFRESH_S = 2;
const POLICY = pagePolicy(SITE_STYLE);

/**
 * Takes the button of the front page that starts the demo evening, which takes some seconds: it leads to a page that waits, and that leads
 * on to the channel. Only in development.
 */
export function demoButton(
  { site, evening }: { site: PageSite; evening: EveningControl },
  { media }: AdmitPages,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { publicUrl } = site;
  const root = rootOf(publicUrl);
  const starting = startingPage(site);
  const pathOf = (state: EveningState): string => {
    if (state.status === "live") return `${root}${state.username}`;
    return state.status === "starting" ? `${root}demo` : root;
  };
  const start: RequestHandler = async (req, res) => {
    requireOwnPage(req.headers, new URL(publicUrl).host);
    res.redirect(303, pathOf(await evening.start()));
  };
  const wait: RequestHandler = (_req, res) => {
    const state = evening.state();
    res.set("Cache-Control", "no-store");
    if (state.status !== "starting") return res.redirect(303, pathOf(state));
    res.set({ Refresh: String(REFRESH_S), "Content-Security-Policy": POLICY });
    res.type("html").send(starting.text);
  };
  router.post("/demo", media, start);
  router.get("/demo", media, wait);
  return router;
}

const startingPage = (site: PageSite): Html =>
  pageLayout({
    site,
    title: "The demo evening is starting",
    head: html`<meta name="robots" content="noindex">\n`,
    main: html`<h1>The demo evening is starting</h1>
<p>It takes some seconds. Its channel opens here by itself.</p>
<p><a href="${rootOf(site.publicUrl)}demo">Reload</a></p>
`,
  });

/**
 * Refuses forms of other sites, and of pages that reach this machine under a name of their own (DNS rebinding): a browser names the
 * form's page in Origin. Throws `forbidden`.
 */
function requireOwnPage({ origin, host }: IncomingHttpHeaders, publicHost: string): void {
  const from = origin !== undefined && URL.canParse(origin) ? new URL(origin).host : null;
  const name = hostIn(host);
  const isHere = name !== null && (isThisMachine(name) || host === publicHost);
  if (from === null || from !== host || !isHere) throw new ServiceError("forbidden");
}
