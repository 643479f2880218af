import { createClient, type LivecoreClient } from "@livecore/client";
import { handoverIn } from "../handover.ts";
import { serviceUrl } from "../page.ts";

/** Somebody who may speak in the chat, by a token for that alone. It is in this page's memory and nowhere else. */
export type Speaker = { username: string; client: LivecoreClient; expiresAt: number };

/** Hosts that may show this page, as its address names them; the first is asked for. */
const siteOf = (): string => new URLSearchParams(location.search).get("parent")?.toLowerCase() ?? "";

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
