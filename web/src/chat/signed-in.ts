import { createClient, type LivecoreClient } from "@livecore/client";
import { handoverIn } from "../handover.ts";
import { serviceUrl } from "../page.ts";

/** A user who may write in the chat, by a token for chat only. The token is kept only in this page's memory. */
export type Speaker = { username: string; client: LivecoreClient; expiresAt: number };

/**
 * The host of the embedding page, as the browser reports it: the address may list several candidates. Empty when the browser
 * doesn't report it and there are several.
 */
function siteOf(): string {
  if (window.parent === window) return location.host;
  const parents = new URLSearchParams(location.search).getAll("parent").map((name) => name.toLowerCase());
  // Firefox has them only since 2025. The last one is the page whose address the reader sees.
  const origins: DOMStringList | undefined = location.ancestorOrigins;
  const shown = origins?.item(origins.length - 1) ?? document.referrer;
  const host = URL.canParse(shown) ? new URL(shown).host : "";
  if (parents.includes(host)) return host;
  return parents.length === 1 ? (parents[0] ?? "") : "";
}

/**
 * Asks for a user in the service's own window, where their cookies are available. Calls `onSpeaker` with the user who agreed;
 * returns a function that stops waiting.
 */
export function requestChatToken(onSpeaker: (speaker: Speaker) => void): () => void {
  const address = new URL("../sign-in", location.href);
  address.searchParams.set("site", siteOf());
  const popup = window.open(address, "_blank", "popup,width=420,height=600");
  const onMessage = ({ origin, source, data }: MessageEvent<unknown>): void => {
    // Accepts only messages of the service's origin, from the window that was opened here.
    if (origin !== location.origin || source !== popup || popup === null) return;
    const handover = handoverIn(data);
    if (!handover) return;
    stop();
    onSpeaker({
      username: handover.username,
      client: createClient({ baseUrl: serviceUrl(), auth: { mode: "token", token: handover.token } }),
      expiresAt: Date.parse(handover.expiresAt),
    });
  };
  const stop = () => window.removeEventListener("message", onMessage);
  window.addEventListener("message", onMessage);
  return stop;
}
