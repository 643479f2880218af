import { createHash } from "node:crypto";
import { type Html, html } from "./html.ts";

/** What texts, links and buttons of a page stand on: the page itself, and what is raised from it. */
export const GROUNDS = { light: ["#fff", "#f4f2f8"], dark: ["#15131a", "#211e29"] } as const;
export const ACCENTS = { light: "#5b3fa8", dark: "#b9a2ff" };

/** The frame of all static pages: the site's bar and colours (web/src/tokens.css), by system fonts and without a script. */
export const FRAME_STYLE = `:root {
  color-scheme: light dark;
  --ground: light-dark(${GROUNDS.light[0]}, ${GROUNDS.dark[0]});
  --raised: light-dark(${GROUNDS.light[1]}, ${GROUNDS.dark[1]});
  --text: light-dark(#1b1922, #ededf2);
  --quiet: light-dark(#5a5566, #aaa5b8);
  --line: light-dark(#d9d4e3, #363142);
  --accent: light-dark(${ACCENTS.light}, ${ACCENTS.dark});
  --live: #c4212f;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--accent); }
a:focus-visible, button:focus-visible, summary:focus-visible, input:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--ground); }
.skip:focus { left: 0; z-index: 1; }
.site { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; min-height: 3.5rem; padding: .25rem 1rem; background: var(--raised); border-bottom: 1px solid var(--line); }
.site a { padding: .375rem 0; color: inherit; text-decoration: none; }
.site a:hover { text-decoration: underline; }
.site .home { font-weight: 700; font-size: 1.125rem; }
.site .home img { display: block; max-width: 12rem; height: 2rem; object-fit: contain; }
.site .browse { font-weight: 600; }
.site nav { display: flex; flex-wrap: wrap; gap: 0 1rem; margin-left: auto; font-size: .9375rem; }
@media (max-width: 30rem) { .site nav { flex-basis: 100%; } }
main { max-width: 72rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
.quiet { color: var(--quiet); }
`;

/** The look of texts. */
export const TEXT_STYLE = `h1 { line-height: 1.2; margin: 1rem 0 .5rem; }
h2 { line-height: 1.3; margin: 2.5rem 0 .75rem; }
p, li { max-width: 44rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
code { background: var(--raised); padding: .1em .3em; border-radius: .2rem; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: .4rem; padding: .75rem; overflow-x: auto; }
pre code { background: none; padding: 0; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; }
td, th { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; overflow-wrap: normal; }
td:last-child { min-width: 12rem; }
p img { max-width: 100%; height: auto; }
button, input { font: inherit; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--raised); color: inherit; }
button { background: var(--accent); border-color: var(--accent); color: var(--ground); font-weight: 600; cursor: pointer; }
`;

/** The look of all static pages. */
export const SITE_STYLE = FRAME_STYLE + TEXT_STYLE;

const sha256 = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The policy of a static page with this inline style: it runs no script, and loads pictures alone. */
export function pagePolicy(style: string, more: readonly string[] = ["form-action 'none'"]): string {
  return [
    "default-src 'none'",
    "img-src http: https:",
    `style-src ${sha256(style)}`,
    ...more,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The instance, as static pages show it. */
export type PageSite = { publicUrl: string; name: string; logo: { path: string } | null };

type PageParts = {
  site: PageSite;
  title: string;
  head?: Html;
  style?: string;
  main: Html;
};

/** The path of the front page below an address. */
export const rootOf = (publicUrl: string): string =>
  new URL(`${publicUrl}/`).pathname.replace(/(?<!\/)\/+$/, "/");

/** The bar above every page: home and browsing, as on the site, and the documents. */
export function siteHeader({ publicUrl, name, logo }: PageSite): Html {
  const root = rootOf(publicUrl);
  return html`<a class="skip" href="#main">Skip to content</a>
<header class="site"><a class="home" href="${root}" aria-label="${name}, home">${logo === null ? name : html`<img src="${root}${logo.path}" alt="">`}</a>
<a class="browse" href="${root}categories">Browse</a>
<nav aria-label="Documents"><a href="${root}docs">REST API</a>
<a href="${root}docs/sockets">Events</a>
<a href="${root}docs/guides">Guides</a></nav></header>
`;
}

/** The head that all pages share: `title` with the instance's name behind it. */
export function siteHead({ publicUrl, name }: PageSite, title: string): Html {
  const root = rootOf(publicUrl);
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${name}</title>
<link rel="icon" href="${root}favicon.ico" sizes="32x32">
<link rel="icon" href="${root}favicon.svg" type="image/svg+xml">
`;
}

/** A whole page; its style is inline, so that it is one answer. */
export function pageLayout({ site, title, head = html``, style = SITE_STYLE, main }: PageParts): Html {
  return html`<!doctype html>
<html lang="en">
${siteHead(site, title)}${head}<style>${{ text: style }}</style>
<body>
${siteHeader(site)}<main id="main">
${main}</main>
</html>
`;
}
