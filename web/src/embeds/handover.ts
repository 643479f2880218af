/**
 * How the chat in a frame gets a token from the service's own window:
 * 1. the chat opens the window, which says that it is ready;
 * 2. the chat says for which site and channel a token is wanted;
 * 3. once the user has agreed, the window passes the token.
 * Each message goes only to the service's own origin. Each side accepts only messages that the browser says are from that origin and
 * from the window at the other end, so nothing in an address decides what the user agrees to.
 */
type Ready = { type: "livecore.sign-in-ready" };
export const READY: Ready = { type: "livecore.sign-in-ready" };

/** `site`: host of the page that shows the chat; empty if the browser doesn't tell. */
export type ChatRequest = {
  type: "livecore.chat-request";
  site: string;
  streamId: string;
  channelName: string;
};

export type Handover = { type: "livecore.chat-token"; token: string; username: string; expiresAt: string };

export const isReady = (data: unknown): boolean => textsOf(READY.type, data) !== null;

/** Null for any other message. */
export function chatRequestIn(data: unknown): ChatRequest | null {
  const type = "livecore.chat-request";
  const { site, streamId, channelName } = textsOf(type, data) ?? {};
  if (site === undefined || streamId === undefined || channelName === undefined) return null;
  return { type, site, streamId, channelName };
}

/** Null for any other message. */
export function handoverIn(data: unknown): Handover | null {
  const type = "livecore.chat-token";
  const { token, username, expiresAt } = textsOf(type, data) ?? {};
  if (token === undefined || username === undefined || expiresAt === undefined) return null;
  return { type, token, username, expiresAt };
}

/** The texts in a message of that type; null for any other message. */
function textsOf(type: string, data: unknown): Partial<Record<string, string>> | null {
  if (typeof data !== "object" || data === null || !("type" in data) || data.type !== type) return null;
  const texts: Partial<Record<string, string>> = {};
  for (const [name, value] of Object.entries(data)) if (typeof value === "string") texts[name] = value;
  return texts;
}
