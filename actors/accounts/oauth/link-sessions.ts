import { ServiceError } from "../../../contract/errors.ts";
import type { UserSessions } from "../sessions/user-sessions.ts";
import type { SignedIn } from "../tokens/caller.ts";
import type { PresentedCookies } from "../tokens/cookie-sessions.ts";

/**
 * The session in which a link was requested. `browser`: what its browser showed of it; absent for a client with a bearer, and in
 * flows of releases before.
 */
export type LinkSession = { userId: string; sessionId: string; browser?: "bound" | "unbound" };

export const linkSessionOf = ({ userId, sessionId, via }: SignedIn, sent: PresentedCookies): LinkSession => ({
  userId,
  sessionId,
  ...(via === "cookie" ? { browser: sent.binding === null ? "unbound" : "bound" } : {}),
});

/**
 * The browser that requested a link has to be in the same session still: another user may have signed in there since. Throws
 * `oauth_failed`, or `invalid_token` when the session has ended.
 */
export async function requireSameSession(
  sessions: Pick<UserSessions, "isBrowserOf" | "requireActive">,
  { sessionId, browser }: LinkSession,
  sent: PresentedCookies,
): Promise<void> {
  if (browser === undefined) return;
  const lacksBinding = browser === "bound" && sent.binding === null;
  if (!lacksBinding && (await sessions.isBrowserOf(sessionId, sent))) return;
  // A session that has ended has taken its cookies with it, which is the better reason.
  await sessions.requireActive(sessionId);
  throw new ServiceError("oauth_failed");
}
