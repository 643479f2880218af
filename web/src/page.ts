import { createClient, type LivecoreClient } from "@livecore/client";

/** What the service wrote into the page: whose channel it shows, and how. */
export type Page = {
  root: HTMLElement;
  streamId: string;
  /** As the channel writes it; text of a stranger. */
  channelName: string;
  client: LivecoreClient;
  /** What the site that embeds the page asked for in its address. */
  wishes: URLSearchParams;
};

/** Where the page came from, up to /embed/: PUBLIC_URL may have a path. */
export const serviceUrl = (): string => location.href.slice(0, location.href.indexOf("/embed/"));

/** Throws where the page isn't one of the service's. */
export function openPage(): Page {
  const root = document.getElementById("page");
  const { streamId, channelName } = root?.dataset ?? {};
  if (!root || streamId === undefined || channelName === undefined) throw new Error("The page has no data.");
  const wishes = new URLSearchParams(location.search);
  const theme = wishes.get("theme");
  if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
  // Without cookies: a page inside of another site's acts for nobody until it is given a token.
  return { root, streamId, channelName, wishes, client: createClient({ baseUrl: serviceUrl() }) };
}
