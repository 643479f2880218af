import type { SeoPage, UserSummary } from "../../../contract/wire.ts";
import { type Html, html, joined } from "../../http/html.ts";
import { inScript } from "./shell.ts";

/** The head of a page for search engines and link previews. */
export function publicHead(seo: SeoPage): Html {
  const graph = Object.entries(seo.open_graph).map(([property, content]) =>
    property.startsWith("twitter:")
      ? html`<meta name="${property}" content="${content}">\n`
      : html`<meta property="${property}" content="${content}">\n`,
  );
  const keywords =
    seo.keywords.length > 0 ? html`<meta name="keywords" content="${seo.keywords.join(", ")}">\n` : html``;
  return html`<meta name="description" content="${seo.description}">
${keywords}<link rel="canonical" href="${seo.canonical}">
${joined(graph)}<script type="application/ld+json">${inScript(JSON.stringify(seo.json_ld))}</script>
`;
}

/** Of a page that is the same for all, without a preview of its own. */
export const plainHead = (canonical: string, description: string): Html =>
  html`<meta name="description" content="${description}">
<link rel="canonical" href="${canonical}">
`;

/** Of a page that shows something else to each reader, or nothing to strangers. */
export const PRIVATE_HEAD = html`<meta name="robots" content="noindex">\n`;

type Media = { title: string; from: UserSummary; image: string | null; url: string };

/** Of a recording or a clip. Its picture's address expires, so previews that come later have none. */
export const mediaHead = (site: string, { title, from, image, url }: Media): Html => {
  const by = from.username_title ?? from.username;
  const preview = image === null ? html`` : html`<meta property="og:image" content="${image}">\n`;
  return html`<meta name="description" content="${title} · ${by} on ${site}">
<link rel="canonical" href="${url}">
<meta property="og:type" content="video.other">
<meta property="og:site_name" content="${site}">
<meta property="og:title" content="${title}">
<meta property="og:url" content="${url}">
${preview}`;
};
