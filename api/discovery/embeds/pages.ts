import { createHash } from "node:crypto";
import { type RequestHandler, type Response, Router } from "express";
import type { AdmitPages } from "../../http/admit-pages.ts";
import { type Html, html } from "../../http/html.ts";
import { ifFound } from "../../http/if-found.ts";
import type { BuiltEmbed, Embed, WebFiles } from "../web-files.ts";
import { frameAncestors } from "./parents.ts";

const EMBEDS = ["chat", "player"] as const;
const OVERLAYS = new Set(["chat", "alerts", "prediction", "poll"]);
const PAGE_S = 30;

type Embedded = { name: string; streamId: string };

type EmbedDeps = {
  web: WebFiles;
  /** Throws `not_found` for a name that nobody has, and for banned accounts. */
  channelOf: (username: string) => Promise<Embedded>;
  /** Base URL from which the player fetches video. */
  edgeUrl: string;
};

/**
 * The player and the chat of a channel for pages of other sites: /embed/player/:username and
 * /embed/chat/:username. Only the service's own pages and the sites named by `parent` may frame them. Nothing here
 * identifies a user by cookies, so another site gains nothing by framing them.
 */
export function embedPages({ web, channelOf, edgeUrl }: EmbedDeps, { page }: AdmitPages): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const policies = { chat: policyOfChat(web), player: policyOfPlayer(web, new URL(edgeUrl).origin) };
  const signIn = { policy: policyOfSignIn(web), page: signInPage(web).text };

  const sendSignIn: RequestHandler = (_req, res) => {
    res.setHeader("Content-Security-Policy", signIn.policy);
    // It posts its answer to the chat that opened it, which is in a frame of another site's page.
    res.setHeader("Cross-Origin-Opener-Policy", "unsafe-none");
    htmlResponse(res, 200).send(signIn.page);
  };
  router.get("/embed/sign-in", page(sendSignIn));

  for (const embed of EMBEDS) {
    const send: RequestHandler<{ username: string }> = async (req, res) => {
      const ancestors = frameAncestors(req.originalUrl);
      res.setHeader("Content-Security-Policy", `${policies[embed]}; frame-ancestors ${ancestors}`);
      // It says the same less exactly, and would forbid all framing.
      res.removeHeader("X-Frame-Options");
      res.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
      res.setHeader("Permissions-Policy", "camera=(), microphone=(), geolocation=()");
      const channel = await ifFound(channelOf(req.params.username.toLowerCase()));
      if (channel) htmlResponse(res, 200).send(pageOf(web, embed, channel).text);
      else htmlResponse(res, 404).send(notFoundPage(web, embed).text);
    };
    router.get(`/embed/${embed}/:username`, page(send));
  }

  const overlay = { policy: policyOfOverlay(web), page: overlayPage(web).text };
  /** The same for every overlay: what it shows follows from the token in its fragment, which no server gets. */
  const sendOverlay: RequestHandler<{ kind: string }> = (req, res, next) => {
    if (!OVERLAYS.has(req.params.kind)) return next();
    res.setHeader("Content-Security-Policy", overlay.policy);
    res.setHeader("X-Frame-Options", "SAMEORIGIN");
    res.setHeader("Referrer-Policy", "no-referrer");
    res.setHeader("Permissions-Policy", "camera=(), microphone=(), geolocation=()");
    htmlResponse(res, 200).send(overlay.page);
  };
  router.get("/overlay/:kind", page(sendOverlay));
  return router;
}

const htmlResponse = (res: Response, status: number): Response =>
  res.status(status).setHeader("Cache-Control", `public, max-age=${PAGE_S}`).type("html");

/**
 * Reloads the page when its script can't be loaded: a cached page, or one from a worker of the previous release, may name a script
 * that other workers no longer have. It tries five times within half a minute, longer than caches keep the page; the fragment, which
 * embeds don't use, counts the tries.
 */
const RELOAD = `addEventListener("error",({target:t})=>{const n=Number(location.hash.slice(1))||0;if(t?.tagName==="SCRIPT"&&5>n)setTimeout(()=>{history.replaceState(null,"","#"+(n+1));location.reload()},1e3*2**n)},true)`;

/** The same where the fragment is in use: the session's storage counts the tries. */
const OVERLAY_RELOAD = `addEventListener("error",({target:t})=>{const k="livecore-overlay-reloads",n=Number(sessionStorage.getItem(k));if(t?.tagName==="SCRIPT"&&5>n)setTimeout(()=>{sessionStorage.setItem(k,n+1);location.reload()},1e3*2**n)},true)`;

const sha256 = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Allows the page's own scripts by their hashes, and no other script. */
function policyOf(web: WebFiles, page: Embed, more: string[], reload = RELOAD): string {
  const { script, style } = web.embeds[page];
  return [
    "default-src 'none'",
    `script-src '${script.integrity}' ${sha256(reload)}`,
    `style-src ${sha256(style)}`,
    ...more,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Emotes are pictures of the service, wherever its files are; text can't become script in any way. */
const policyOfChat = (web: WebFiles): string =>
  policyOf(web, "chat", [
    "connect-src 'self'",
    "img-src 'self' http: https:",
    ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
  ]);

const policyOfPlayer = (web: WebFiles, edge: string): string =>
  policyOf(web, "player", [`connect-src 'self' ${edge}`, `media-src blob: ${edge}`, "worker-src 'self'"]);

/** It has a window of its own, which no page may frame. */
const policyOfSignIn = (web: WebFiles): string =>
  policyOf(web, "sign-in", [
    "connect-src 'self'",
    ...["require-trusted-types-for 'script'", "trusted-types 'none'", "frame-ancestors 'none'"],
  ]);

/** Only the console shows it in a frame, as a preview. */
const policyOfOverlay = (web: WebFiles): string =>
  policyOf(
    web,
    "overlay",
    [
      "connect-src 'self'",
      "img-src 'self' http: https:",
      ...["require-trusted-types-for 'script'", "trusted-types 'none'", "frame-ancestors 'self'"],
    ],
    OVERLAY_RELOAD,
  );

/** URLs are relative, since PUBLIC_URL may have a path. */
const layout = (style: string, title: string, body: Html): Html => html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${{ text: style }}</style>
${body}</html>
`;

const scriptOf = ({ script: { file, integrity } }: BuiltEmbed, folder: string, reload = RELOAD): Html =>
  html`<script>${{ text: reload }}</script>
<script type="module" src="${folder}${file}" integrity="${integrity}"></script>
<noscript><p class="note">This needs JavaScript.</p></noscript>\n`;

const signInPage = ({ embeds }: WebFiles): Html =>
  layout(
    embeds["sign-in"].style,
    "Log in to chat",
    html`<div id="page"></div>\n${scriptOf(embeds["sign-in"], "assets/")}`,
  );

const overlayPage = ({ embeds }: WebFiles): Html =>
  layout(
    embeds.overlay.style,
    "Overlay",
    html`<div id="page"></div>\n${scriptOf(embeds.overlay, "../embed/assets/", OVERLAY_RELOAD)}`,
  );

function pageOf(web: WebFiles, embed: Embed, { name, streamId }: Embedded): Html {
  const built = web.embeds[embed];
  const data = html`data-stream-id="${streamId}" data-channel-name="${name}"`;
  return layout(built.style, name, html`<div id="page" ${data}></div>\n${scriptOf(built, "../assets/")}`);
}

const notFoundPage = (web: WebFiles, embed: Embed): Html =>
  layout(
    web.embeds[embed].style,
    "Nobody is here",
    html`<p class="note">There is no channel of this name.</p>\n`,
  );
