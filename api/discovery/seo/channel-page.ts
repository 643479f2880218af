import type { ChannelPage } from "../../../actors/discovery/seo/seo.ts";
import { type Html, html, joined } from "../../http/html.ts";
import { pageLayout, pagePolicy, SITE_STYLE } from "../../http/page-layout.ts";

const STYLE = `${SITE_STYLE}
main { max-width: 100rem; }
.watch { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
iframe { display: block; width: 100%; border: 1px solid var(--line); border-radius: .4rem; background: var(--raised); }
.player { aspect-ratio: 16 / 9; }
.chat { height: 28rem; }
.owner { display: flex; gap: 1rem; align-items: center; }
.owner div { min-width: 0; }
.owner h1, .owner p { margin: 0; }
.bio { white-space: pre-line; unicode-bidi: plaintext; }
img { width: 4rem; height: 4rem; flex: none; object-fit: cover; border-radius: 50%; }
@media (min-width: 60rem) {
  .watch { grid-template-columns: minmax(0, 1fr) 22rem; }
  .owner { grid-row: 2; grid-column: 1 / -1; }
  .chat { grid-row: 1; grid-column: 2; height: 100%; min-height: 28rem; }
}
@media (min-width: 100rem) { .watch { grid-template-columns: minmax(0, 1fr) 26rem; } }
`;

/** The texts are user content: no script runs in this page, and its frames are the service's own embeds. */
export const CHANNEL_POLICY = pagePolicy(STYLE, ["frame-src 'self'", "form-action 'none'"]);

/**
 * The page of a channel: its player and chat, and what search engines and link previews read. It is kept by caches, so that the player
 * alone says whether the channel is live.
 */
export function channelPage(root: string, page: ChannelPage): Html {
  const { seo, name, bio, channel } = page;
  const { user, stream, category, followers } = channel;
  const links = Object.entries(user.socialLinks).filter(([, url]) => /^https?:\/\//i.test(url ?? ""));
  const about = category === null ? html`` : html` · ${category}`;
  const frame = (embed: "player" | "chat", title: string) =>
    html`<iframe class="${embed}" src="${root}embed/${embed}/${user.username}" title="${title}" allow="autoplay; fullscreen"></iframe>\n`;
  return pageLayout({
    root,
    title: seo.title,
    style: STYLE,
    head: headOf(page),
    main: html`<div class="watch">
${frame("player", `Player of ${name}`)}<div class="owner">
${user.imageUrl === null ? html`` : html`<img src="${user.imageUrl}" alt="">\n`}<div><h1><span dir="auto">${name}</span></h1>
<p><span dir="auto">${stream.name}</span>${about}</p>
<p class="quiet">${followers} ${followers === 1 ? "follower" : "followers"}</p></div>
</div>
${frame("chat", `Chat of ${name}`)}</div>
${bio === null ? html`` : html`<p class="bio" dir="auto">${bio}</p>\n`}${links.length === 0 ? html`` : html`<ul>\n${joined(links.map(([network, url]) => html`<li><a rel="nofollow noopener ugc" href="${url ?? ""}">${network}</a></li>\n`))}</ul>\n`}`,
  });
}

function headOf({ seo }: ChannelPage): Html {
  const graph = Object.entries(seo.open_graph).map(([property, content]) =>
    property.startsWith("twitter:")
      ? html`<meta name="${property}" content="${content}">\n`
      : html`<meta property="${property}" content="${content}">\n`,
  );
  const keywords =
    seo.keywords.length > 0 ? html`<meta name="keywords" content="${seo.keywords.join(", ")}">\n` : html``;
  return html`<meta name="description" content="${seo.description}">
${keywords}<link rel="canonical" href="${seo.canonical}">
${joined(graph)}<script type="application/ld+json">${inScript(seo.json_ld)}</script>
`;
}

/** JSON in which no text ends the script element or begins a comment. */
const inScript = (value: object): Html => ({
  text: JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  }),
});
