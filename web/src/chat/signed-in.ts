import { createClient, type LivecoreClient } from "@livecore/client";
import { handoverIn } from "../handover.ts";
import { serviceUrl } from "../page.ts";

/** Somebody who may speak in the chat, by a token for that alone. It is in this page's memory and nowhere else. */
export type Speaker = { username: string; client: LivecoreClient; expiresAt: number };

/**
 * The host of the page that shows this one, by the browser's word: the address may name others that might. Empty where
 * nobody says it and several might.
 */
function siteOf(): string {
  if (window.parent === window) return location.host;
  const parents = new URLSearchParams(location.search).getAll("parent").map((name) => name.toLowerCase());
  // Firefox has had them since 2025 alone. The last is the page whose address the reader sees.
  const origins: DOMStringList | undefined = location.ancestorOrigins;
  const shown = origins?.item(origins.length - 1) ?? document.referrer;
  const host = URL.canParse(shown) ? new URL(shown).host : "";
  if (parents.includes(host)) return host;
  return parents.length === 1 ? (parents[0] ?? "") : "";
}

/**
 * Asks for somebody in a window of the service's own, where their cookies are. Calls `onSpeaker` with who agreed; returns
 * how to stop waiting for that.
 */
export function askWhoSpeaks(onSpeaker: (speaker: Speaker) => void): () => void {
  const address = new URL("../sign-in", location.href);
  address.searchParams.set("site", siteOf());
  const popup = window.open(address, "_blank", "popup,width=420,height=600");
  const heard = ({ origin, source, data }: MessageEvent<unknown>): void => {
    // The service's own window, and the one that was opened here.
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
  const stop = () => window.removeEventListener("message", heard);
  window.addEventListener("message", heard);
  return stop;
}
