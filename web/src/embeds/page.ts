import { createClient, type LivecoreClient } from "@livecore/client";

/** What the service wrote into the page: the channel to show and the site's options. */
export type Page = {
  root: HTMLElement;
  streamId: string;
  /** As the channel spells it; untrusted text. */
  channelName: string;
  client: LivecoreClient;
  /** The query of the page's address, by which the embedding site sets options. */
  params: URLSearchParams;
};

/** The service's base URL, before /embed/: PUBLIC_URL may have a path. */
export const serviceUrl = (): string => location.href.slice(0, location.href.indexOf("/embed/"));

/** Throws when the page isn't one of the service's. */
export function openPage(): Page {
  const root = document.getElementById("page");
  const { streamId, channelName } = root?.dataset ?? {};
  if (!root || streamId === undefined || channelName === undefined) throw new Error("The page has no data.");
  const params = new URLSearchParams(location.search);
  const theme = params.get("theme");
  if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
  // Without cookies: an embedded page acts as nobody until it is given a token.
  return { root, streamId, channelName, params, client: createClient({ baseUrl: serviceUrl() }) };
}
