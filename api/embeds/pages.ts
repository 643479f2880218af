import { createHash } from "node:crypto";
import { type RequestHandler, type Response, Router } from "express";
import type { CountPages } from "../http/app.ts";
import { type Html, html } from "../http/html.ts";
import { ifFound } from "../http/if-found.ts";
import { frameAncestors } from "./parents.ts";
import type { WebFiles, WebPage } from "./web-files.ts";

const EMBEDS = ["chat", "player"] as const;
const YEAR_S = 31_536_000;
const PAGE_S = 30;

type Embedded = { name: string; streamId: string };

export type EmbedDeps = {
  web: WebFiles;
  /** Throws `not_found` for a name that nobody has, and for banned accounts. */
  channelOf: (username: string) => Promise<Embedded>;
  /** Where the player fetches pictures. */
  edgeUrl: string;
};

/**
 * The player and the chat of a channel for pages of other sites (spec: embeds): /embed/player/:username and
 * /embed/chat/:username. Those that `parent` names may show them, and without it nobody. Nothing that needs to know who
 * somebody is happens here by cookies, so a foreign page gains nothing by showing them.
 */
export function embedPages({ web, channelOf, edgeUrl }: EmbedDeps, count: CountPages): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const policies = { chat: policyOfChat(web), player: policyOfPlayer(web, new URL(edgeUrl).origin) };
  const signIn = { policy: policyOfSignIn(web), page: signInPage(web).text };

  router.get("/embed/sign-in", count.page, (_req, res) => {
    res.setHeader("Content-Security-Policy", signIn.policy);
    // It answers the chat that opened it, which is inside of another site's page.
    res.setHeader("Cross-Origin-Opener-Policy", "unsafe-none");
    sent(res, 200).send(signIn.page);
  });

  for (const embed of EMBEDS) {
    router.get(`/embed/${embed}/:username`, count.page, (async (req, res) => {
      const ancestors = frameAncestors(req.originalUrl);
      res.setHeader("Content-Security-Policy", `${policies[embed]}; frame-ancestors ${ancestors}`);
      // Says the same less exactly, and would forbid all of it.
      res.removeHeader("X-Frame-Options");
      res.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
      res.setHeader("Permissions-Policy", "camera=(), microphone=(), geolocation=()");
      const channel = await ifFound(channelOf(req.params.username.toLowerCase()));
      if (channel) sent(res, 200).send(pageOf(web, embed, channel).text);
      else sent(res, 404).send(nobody(web, embed).text);
    }) satisfies RequestHandler<{ username: string }>);
  }

  router.get("/embed/assets/:file", count.page, ((req, res, next) => {
    const file = web.files.get(req.params.file);
    if (!file) return next();
    res.setHeader("Content-Type", file.type);
    res.setHeader("Cache-Control", `public, max-age=${YEAR_S}, immutable`);
    // A page of the service in a sandbox, or one that asks for isolation, loads them as well.
    res.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    res.vary("Accept-Encoding");
    if (file.brotli && req.acceptsEncodings("br") === "br") {
      res.setHeader("Content-Encoding", "br");
      res.end(file.brotli);
    } else res.end(file.bytes);
  }) satisfies RequestHandler<{ file: string }>);
  return router;
}

const sent = (res: Response, status: number): Response =>
  res.status(status).setHeader("Cache-Control", `public, max-age=${PAGE_S}`).type("html");

/** The page's own script by its hash, and nothing else that runs. */
function policyOf(web: WebFiles, page: WebPage, more: string[]): string {
  const { integrity, style } = web.pages[page];
  return [
    "default-src 'none'",
    `script-src '${integrity}'`,
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    ...more,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Emotes are pictures of the service's, wherever its files are; texts can't become scripts in any way. */
const policyOfChat = (web: WebFiles): string =>
  policyOf(web, "chat", [
    "connect-src 'self'",
    "img-src 'self' http: https:",
    ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
  ]);

const policyOfPlayer = (web: WebFiles, edge: string): string =>
  policyOf(web, "player", [`connect-src 'self' ${edge}`, `media-src blob: ${edge}`, "worker-src 'self'"]);

/** A window of its own, which no page may show. */
const policyOfSignIn = (web: WebFiles): string =>
  policyOf(web, "sign-in", [
    "connect-src 'self'",
    ...["require-trusted-types-for 'script'", "trusted-types 'none'", "frame-ancestors 'none'"],
  ]);

/** Addresses are relative, since PUBLIC_URL may have a path. */
const layout = (style: string, title: string, body: Html): Html => html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${{ text: style }}</style>
${body}</html>
`;

const scriptOf = ({ script, integrity }: WebFiles["pages"][WebPage], folder: string): Html =>
  html`<script type="module" src="${folder}${script}" integrity="${integrity}"></script>
<noscript><p class="note">This needs JavaScript.</p></noscript>\n`;

const signInPage = ({ pages }: WebFiles): Html =>
  layout(
    pages["sign-in"].style,
    "Sign in to chat",
    html`<div id="page"></div>\n${scriptOf(pages["sign-in"], "assets/")}`,
  );

function pageOf(web: WebFiles, embed: WebPage, { name, streamId }: Embedded): Html {
  const built = web.pages[embed];
  const data = html`data-stream-id="${streamId}" data-channel-name="${name}"`;
  return layout(built.style, name, html`<div id="page" ${data}></div>\n${scriptOf(built, "../assets/")}`);
}

const nobody = (web: WebFiles, embed: WebPage): Html =>
  layout(
    web.pages[embed].style,
    "Nobody is here",
    html`<p class="note">There is no channel of this name.</p>\n`,
  );
