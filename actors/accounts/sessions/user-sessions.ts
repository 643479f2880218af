import type { ClientSession } from "mongodb";
import type { Actor, Origin } from "../../../base/audit.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Begun, SessionDoc } from "../../../store/mongo/accounts/sessions.ts";
import type { ApiTokens } from "../tokens/api-tokens.ts";
import type { SignedIn } from "../tokens/caller.ts";
import type { CookieSessions, PresentedCookies } from "../tokens/cookie-sessions.ts";
import type { AccountSessions } from "./account-sessions.ts";
import type { LastSeen } from "./last-seen.ts";
import type { OpenedSession } from "./opened-session.ts";

/** A user's sessions: how they go on, which there are, and how the user ends them. */
export type UserSessions = {
  /** Throws invalid_token, account_banned. */
  refresh(refreshToken: string, origin: Origin): Promise<OpenedSession>;
  /** The same by the cookie that counts (`cookie-sessions.ts`). */
  refreshByCookie(sent: PresentedCookies, origin: Origin): Promise<OpenedSession>;
  logout(caller: SignedIn, origin: Origin): Promise<void>;
  list(userId: string): Promise<SessionDoc[]>;
  /** Throws not_found unless the session is the caller's. */
  end(caller: SignedIn, sessionId: string, origin: Origin): Promise<void>;
  /** Ends all of the caller's sessions except the current one. */
  endOthers(caller: SignedIn, origin: Origin, also?: { endsTokens: boolean }): Promise<void>;
  /** Announces sessions ended by the commit that removed a link or passkey, and ends those it began since, except `keep`. */
  endedWith(begun: Begun, keep: string, sessionIds: string[], by: Actor & { userId: string }): Promise<void>;
  /** Throws invalid_token for a session that has ended. */
  requireActive(sessionId: string, transaction?: ClientSession): Promise<void>;
  /** The device token that counts among the cookies; null for none. */
  deviceIn: CookieSessions["deviceIn"];
  /** Whether the browser is still in that session, as far as it shows one. */
  isBrowserOf: CookieSessions["isOf"];
  /** Flushes the sessions' last-seen times, which otherwise are written after some seconds; never rejects. */
  writeLastSeen(): Promise<void>;
};

type Deps = {
  accountSessions: AccountSessions;
  cookieSessions: CookieSessions;
  apiTokens: Pick<ApiTokens, "removeAll">;
  lastSeen: Pick<LastSeen, "flush">;
};

export function createUserSessions(deps: Deps): UserSessions {
  const { accountSessions, cookieSessions, apiTokens, lastSeen } = deps;

  return {
    refresh: (token, origin) => accountSessions.refresh(token, origin),
    async refreshByCookie(sent, origin) {
      const { token, lacksBinding } = await cookieSessions.refreshTokenIn(sent);
      return accountSessions.refresh(token, origin, lacksBinding);
    },
    logout: async (caller, origin) => void (await accountSessions.endOne(caller, "log_out", origin)),
    list: accountSessions.list,
    async end({ userId }, sessionId, origin) {
      const ended = await accountSessions.endOne({ userId, sessionId }, "removed", origin);
      if (!ended) throw new ServiceError("not_found");
    },
    async endOthers(caller, origin, also = { endsTokens: false }) {
      await accountSessions.endOthers(caller.userId, caller.sessionId, origin);
      if (also.endsTokens) await apiTokens.removeAll(caller, origin);
    },
    endedWith: accountSessions.endedWith,
    requireActive: accountSessions.requireActive,
    deviceIn: cookieSessions.deviceIn,
    isBrowserOf: cookieSessions.isOf,
    writeLastSeen: lastSeen.flush,
  };
}
