import type { Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { ApiTokensStore } from "../../../store/mongo/accounts/api-tokens.ts";
import { emailTokensIn } from "../../../store/mongo/accounts/email-tokens.ts";
import type { Sessions } from "../../../store/mongo/accounts/sessions.ts";
import type { Users } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { Mails } from "../../mail/mails.ts";
import type { LoginThrottle } from "../passwords/login-throttle.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { AccountSessions } from "../sessions/account-sessions.ts";
import type { Owner, RequirePassword } from "../two-factor/reauthentication.ts";

export type PasswordChange = { current: string; next: string; endsTokens: boolean };

type Deps = {
  mongo: Mongo;
  users: Pick<Users, "update">;
  sessions: Pick<Sessions, "endAllBut">;
  tokens: Pick<ApiTokensStore, "endAll" | "endOfOthers">;
  passwords: Pick<Passwords, "hash" | "requireStrong">;
  requirePassword: RequirePassword;
  throttle: Pick<LoginThrottle, "takeChange">;
  accountSessions: Pick<AccountSessions, "announceEnded" | "endOthers" | "requireActive">;
  mails: Pick<Mails, "request">;
  audit: Audit;
  clock: Clock;
};

export function createPasswordChanges(deps: Deps) {
  const {
    mongo,
    users,
    sessions,
    tokens,
    passwords,
    requirePassword,
    throttle,
    accountSessions,
    mails,
    audit,
    clock,
  } = deps;

  /**
   * Changes the password, ends every other session and, if asked for, every personal token, and forgets all other devices.
   * Tokens for embedded chats end in any case, unless this session made them. Throws `invalid_credentials`,
   * `validation_failed`, `rate_limited`; `invalid_state` when the password was changed meanwhile, and `invalid_token` when the
   * session has ended.
   */
  return async (owner: Owner, { current, next, endsTokens }: PasswordChange): Promise<void> => {
    const { user, caller, origin } = owner;
    const userId = user._id;
    await requirePassword(owner, current, "password");
    await throttle.takeChange("password_changes", userId);
    await passwords.requireStrong(next, user, { path: "/body/new_password", place: `change:${userId}` });
    const passwordHash = await passwords.hash(next);
    const at = new Date(clock.now());
    const ended = await inTransaction(mongo.client, async (session) => {
      // The owner may have ended this session from another device since the password was checked.
      await accountSessions.requireActive(caller.sessionId, session);
      const expected = { passwordHash: user.passwordHash, status: "active" as const };
      const change = { $set: { passwordHash, updatedAt: at } };
      const changed = await users.update(userId, change, { session, expected });
      if (!changed) throw new ServiceError("invalid_state");
      // A pending change of address may have been requested by somebody who knew the old password.
      await emailTokensIn(mongo.db).remove(userId, ["change", "reset"], session);
      if (changed.emailVerifiedAt) {
        const data = { username: changed.username, at: at.toISOString() };
        const mail = { key: `password_changed:${newId()}`, template: "password_changed", data } as const;
        await mails.request({ ...mail, to: changed.email, userId }, session);
      }
      const { sessionId } = caller;
      return {
        sessionIds: await sessions.endAllBut(userId, sessionId, session),
        tokenIds: endsTokens
          ? await tokens.endAll(userId, "ended", session)
          : await tokens.endOfOthers(userId, sessionId, session),
      };
    });
    const by = { userId, origin };
    audit("password.changed", by, {});
    const { sessionIds, tokenIds } = ended;
    await accountSessions.announceEnded(userId, sessionIds, { why: "password_changed", by }, tokenIds);
    // Ends sessions that a concurrent sign-in with the old password has opened since.
    await accountSessions.endOthers(userId, caller.sessionId, origin, "password_changed");
  };
}
