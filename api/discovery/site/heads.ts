import type { SeoPage, UserSummary } from "../../../contract/wire.ts";
import { type Html, html, joined } from "../../http/html.ts";
import { inScript } from "./shell.ts";

/** The head of a page for search engines and link previews. */
export function publicHead(seo: SeoPage): Html {
  const keywords =
    seo.keywords.length > 0 ? html`<meta name="keywords" content="${seo.keywords.join(", ")}">\n` : html``;
  return html`<meta name="description" content="${seo.description}">
${keywords}<link rel="canonical" href="${seo.canonical}">
${graphHead(seo.open_graph)}<script type="application/ld+json">${inScript(JSON.stringify(seo.json_ld))}</script>
`;
}

const graphHead = (graph: Readonly<Record<string, string>>): Html =>
  joined(
    Object.entries(graph).map(([property, content]) =>
      property.startsWith("twitter:")
        ? html`<meta name="${property}" content="${content}">\n`
        : html`<meta property="${property}" content="${content}">\n`,
    ),
  );

type Plain = { title: string; description: string; canonical: string; image?: string | null };

/** Of a page that is nobody's: the home page and categories. */
export const plainHead = (site: string, { title, description, canonical, image = null }: Plain): Html =>
  html`<meta name="description" content="${description}">
<link rel="canonical" href="${canonical}">
${graphHead({
  "og:site_name": site,
  "og:type": "website",
  "og:title": title,
  "og:description": description,
  "og:url": canonical,
  ...(image === null ? {} : { "og:image": image }),
  "twitter:card": "summary",
})}`;

/** Of a page that shows something else to each reader, or nothing to strangers. */
export const PRIVATE_HEAD = html`<meta name="robots" content="noindex">\n`;

type Media = {
  title: string;
  from: UserSummary;
  /** Its address expires, so previews that come later have none. */
  image: string | null;
  url: string;
  /** When it was published, in RFC 3339. */
  since: string;
  seconds: number;
};

/** Of a recording or a clip. */
export function mediaHead(site: string, { title, from, image, url, since, seconds }: Media): Html {
  const by = from.username_title ?? from.username;
  const description = `${title} · ${by} on ${site}`;
  const video = {
    "@context": "https://schema.org",
    "@type": "VideoObject",
    name: title,
    description,
    url,
    uploadDate: since,
    // ISO 8601.
    duration: `PT${Math.round(seconds)}S`,
    ...(image === null ? {} : { thumbnailUrl: image }),
  };
  return html`<meta name="description" content="${description}">
<link rel="canonical" href="${url}">
${graphHead({
  "og:type": "video.other",
  "og:site_name": site,
  "og:title": title,
  "og:description": description,
  "og:url": url,
  ...(image === null ? {} : { "og:image": image }),
  "twitter:card": image === null ? "summary" : "summary_large_image",
})}<script type="application/ld+json">${inScript(JSON.stringify(video))}</script>
`;
}
