import { createClient, type LivecoreClient } from "@livecore/client";
import { type ChatRequest, handoverIn, isReady } from "../handover.ts";
import { type Page, serviceUrl } from "../page.ts";

/** A user who may write in the chat, by a token for chat only. The token is kept only in this page's memory. */
export type Speaker = { username: string; client: LivecoreClient; expiresAt: number };

/**
 * The host of the embedding page, as the browser reports it, or as it enforces it: only the service's own pages, and those that the
 * address lists, may show this one. Empty when the browser doesn't report it and several are listed. The host stands for the origin, since browsers show frames of
 * an https service only in https pages.
 */
function siteOf(): string {
  if (window.parent === window) return location.host;
  const parents = new URLSearchParams(location.search).getAll("parent").map((name) => name.toLowerCase());
  // Firefox has them only since 2025. The last one is the page whose address the reader sees.
  const origins: DOMStringList | undefined = location.ancestorOrigins;
  const shown = origins?.item(origins.length - 1) ?? "";
  const host = URL.canParse(shown) ? new URL(shown).host : "";
  if ([location.host, ...parents].includes(host)) return host;
  const [parent = location.host, ...others] = parents;
  return others.length === 0 ? parent : "";
}

/**
 * Asks for a user in the service's own window, where their cookies are available. Calls `onSpeaker` with the user who agreed;
 * returns a function that stops waiting.
 */
export function requestChatToken(
  { streamId, channelName }: Pick<Page, "streamId" | "channelName">,
  onSpeaker: (speaker: Speaker) => void,
): () => void {
  const popup = window.open(new URL("../sign-in", location.href), "_blank", "popup,width=420,height=600");
  const request: ChatRequest = { type: "livecore.chat-request", site: siteOf(), streamId, channelName };
  const onMessage = ({ origin, source, data }: MessageEvent<unknown>): void => {
    // Accepts only messages of the service's origin, from the window that was opened here.
    if (origin !== location.origin || source !== popup || popup === null) return;
    if (isReady(data)) popup.postMessage(request, location.origin);
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
