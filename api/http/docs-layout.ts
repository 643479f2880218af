import { type Html, html, joined } from "./html.ts";
import { FRAME_STYLE, type PageSite, rootOf, siteHead, siteHeader, TEXT_STYLE } from "./page-layout.ts";

/** The style of all pages below /docs. Swagger UI brings its own for what it renders. */
export const DOCS_STYLE = `${FRAME_STYLE}
main { max-width: none; display: grid; gap: 1rem 2rem; grid-template-columns: minmax(0, 1fr); padding-top: 0; }
.toc { padding-top: 1rem; font-size: .9375rem; }
.toc h2, .toc ul { margin: 0; padding: 0; list-style: none; }
.toc > details > summary { font-size: 1rem; }
.toc [role="status"]:empty { display: none; }
.toc summary { font-weight: 600; padding: .3rem 0; cursor: pointer; }
.toc li a { display: block; padding: .2rem 0 .2rem 1rem; text-decoration: none; }
.toc li a:hover { text-decoration: underline; }
.toc input { width: 100%; margin: .25rem 0 .5rem; }
.toc label { font-weight: 600; }
.content { min-width: 0; overflow-x: clip; }
[id] { scroll-margin-top: 1rem; }
.toc input { font: inherit; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--raised); color: inherit; }
:where(.text) { ${TEXT_STYLE} }
.fold { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; }
.fold > summary { padding: .5rem .75rem; cursor: pointer; }
.fold > div { padding: 0 .75rem .5rem; }
@media (min-width: 64rem) {
  main { grid-template-columns: 20rem minmax(0, 1fr); }
  .toc { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding-bottom: 2rem; }
}
@media (min-width: 64rem) and (scripting: enabled) { .toc > details > summary { display: none; } }
`;

export type TocGroup = { title: string; entries: readonly TocEntry[] };
/** `words` are found by the filter besides the text. */
type TocEntry = { href: string; text: string; words?: string };

type DocsPage = {
  site: PageSite;
  /** Of the page, below PUBLIC_URL. */
  path: string;
  title: string;
  description: string;
  toc: readonly TocGroup[];
  /** Whether the groups of the table of contents are open at first. */
  isOpen?: boolean;
  content: Html;
  /** Stands below the content, and has a style of its own. */
  below?: Html;
  scripts?: readonly string[];
};

/** A page below /docs: a table of contents with a filter, and the content. */
export function docsLayout(page: DocsPage): string {
  const { site, path, title, description, toc, isOpen = false, content, below = html``, scripts = [] } = page;
  const { publicUrl } = site;
  const root = rootOf(publicUrl);
  return html`<!doctype html>
<html lang="en">
${siteHead(site, title)}<meta name="description" content="${description}">
<link rel="canonical" href="${publicUrl}/${path}">
<link rel="stylesheet" href="${root}docs/docs.css">
<body>
${siteHeader(site)}<main id="main">
<nav class="toc" aria-label="Contents"><details id="contents"><summary>Contents</summary>
<label for="filter">Filter</label><input id="filter" type="search" autocomplete="off" spellcheck="false">
<p role="status"></p>
${joined(toc.map((group) => groupOf(group, isOpen)))}</details></nav>
<div class="content">
<div class="text">
${content}</div>
${below}</div>
</main>
${joined([...scripts, `${root}docs/contents.js`].map((src) => html`<script src="${src}"></script>\n`))}</html>
`.text;
}

const groupOf = (
  { title, entries }: TocGroup,
  isOpen: boolean,
): Html => html`<details class="group"${isOpen ? html` open` : html``}><summary>${title}</summary><ul>
${joined(
  entries.map(
    ({ href, text, words }) =>
      html`<li><a href="${href}"${words ? html` data-words="${words}"` : html``}>${text}</a></li>\n`,
  ),
)}</ul></details>
`;

/** A folded section; a link to `id` opens it. */
export const fold = (
  id: string,
  title: Html,
  content: Html,
): Html => html`<details class="fold"><summary>${title}</summary><div id="${id}">
${content}</div></details>
`;

/** Opens the table of contents where it stands beside the page, filters it, and opens the folded section to which an address leads. */
export const CONTENTS_SCRIPT = `"use strict";
const filter = document.querySelector("#filter");
const status = document.querySelector(".toc [role=status]");
const groups = [...document.querySelectorAll(".toc .group")];
const contents = document.querySelector("#contents");
const wide = matchMedia("(min-width: 64rem)");
const place = () => { contents.open = wide.matches; };
wide.addEventListener("change", place);
place();
const wasOpen = new Map(groups.map((group) => [group, group.open]));
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const group of groups) {
    let found = 0;
    for (const link of group.querySelectorAll("a")) {
      const text = (link.textContent + " " + (link.dataset.words ?? "")).toLowerCase();
      const isFound = words.every((word) => text.includes(word));
      link.parentElement.hidden = !isFound;
      if (isFound) found += 1;
    }
    group.hidden = found === 0;
    group.open = words.length > 0 || wasOpen.get(group);
  }
  status.textContent = groups.every((group) => group.hidden) ? "Nothing found. Try other words, or fewer." : "";
});
function land() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", land);
land();
`;
