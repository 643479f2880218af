import { type Html, html, joined } from "../../http/html.ts";
import type { Accents } from "../../system/instance/accents.ts";
import type { BuiltSite, Script } from "../web-files.ts";

/** The name under which the page keeps what the viewer chose: light or dark. */
const THEME_KEY = "livecore-theme";
const RELOADS = 5;

/**
 * The page's one inline script: applies the chosen theme before anything is painted, then loads the site. Where its script or style fails,
 * a cached page or one of another release may name what this worker doesn't have: the page is loaded again, a few times within half a
 * minute; for a style alone, without which it works, once. Scripts wait for the style, so by then it is there or has failed.
 */
export const startScript = (root: string, { file }: Script): string =>
  `try{const t=localStorage.getItem("${THEME_KEY}");if(t)document.documentElement.style.colorScheme=t}catch{}` +
  `const again=()=>{const n=Number(sessionStorage.getItem("livecore-reloads"));` +
  `if(n<${RELOADS})setTimeout(()=>{sessionStorage.setItem("livecore-reloads",n+1);location.reload()},1e3*2**n)};` +
  `import("${root}assets/${file}").then(()=>` +
  `document.querySelector("link[rel=stylesheet]").sheet?.cssRules.length?sessionStorage.removeItem("livecore-reloads"):Number(sessionStorage.getItem("livecore-reloads"))||again(),again)`;

/** What a page brings besides its scripts. */
type PageParts = {
  lang: string;
  title: string;
  head: Html;
  /** Answers of the interface that the page would ask for first, by operation and parameters. */
  data: readonly PageAnswer[];
};
export type PageAnswer = { operation: string; input: object; json: string };

/** What every page knows without asking. */
type SiteData = { root: string } & Record<string, unknown>;

/** JSON in which no text ends the script element or begins a comment. */
export const inScript = (json: string): Html => ({
  text: json.replaceAll(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  }),
});

/** `at`: Unix ms. A browser may show the page from its cache long after. */
const dataOf = (at: number, site: SiteData, answers: readonly PageAnswer[]): Html => {
  const parts = answers.map(
    ({ operation, input, json }) =>
      `{"operation":${JSON.stringify(operation)},"input":${JSON.stringify(input)},"answer":${json}}`,
  );
  return inScript(`{"at":${at},"site":${JSON.stringify(site)},"answers":[${parts.join(",")}]}`);
};

type Shell = {
  site: SiteData;
  built: BuiltSite;
  scripts: readonly Script[];
  start: string;
  accent: string;
  /** Unix ms. */
  now: number;
};

/** The instance's own colour, over that of the style sheet. */
export const accentStyle = ({ light, dark }: Accents): string =>
  `:root{--accent:light-dark(${light},${dark})}`;

/** The HTML of a page: its head and data, and an empty body that the script fills. */
export function shellOf(
  { site, built, scripts, start, accent, now }: Shell,
  { lang, title, head, data }: PageParts,
): Html {
  const { root } = site;
  const preload = [...built.base, ...scripts].map(
    ({ file, integrity }) =>
      html`<link rel="modulepreload" href="${root}assets/${file}" integrity="${integrity}">\n`,
  );
  return html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${root}favicon.ico" sizes="32x32">
<link rel="icon" href="${root}favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}assets/${built.style}">
<style>${{ text: accent }}</style>
${joined(preload)}${head}</head>
<body>
<div id="site"></div>
<noscript><p class="notice">This site needs JavaScript. The <a href="${root}docs">docs</a> don't.</p></noscript>
<script type="application/json" id="page-data">${dataOf(now, site, data)}</script>
<script>${{ text: start }}</script>
</body>
</html>
`;
}
