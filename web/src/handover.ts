/** The message by which the sign-in window passes a token to the chat that opened it. */
export type Handover = { type: "livecore.chat-token"; token: string; username: string; expiresAt: string };

export const HANDOVER = "livecore.chat-token";

/** Null for any other message. */
export function handoverIn(data: unknown): Handover | null {
  if (typeof data !== "object" || data === null || !("type" in data) || data.type !== HANDOVER) return null;
  const { token, username, expiresAt } = data as Partial<Record<string, unknown>>;
  if (typeof token !== "string" || typeof username !== "string" || typeof expiresAt !== "string") return null;
  return { type: HANDOVER, token, username, expiresAt };
}
