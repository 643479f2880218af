import type { Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import type { ApiTokensStore } from "../../../store/mongo/accounts/api-tokens.ts";
import type { EmailTokens } from "../../../store/mongo/accounts/email-tokens.ts";
import type { Sessions } from "../../../store/mongo/accounts/sessions.ts";
import type { UserDoc, Users } from "../../../store/mongo/accounts/users.ts";
import type { Files } from "../../../store/mongo/channels/files.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Mails } from "../../mail/mails.ts";
import type { LoginThrottle } from "../passwords/login-throttle.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { AccountSessions } from "../sessions/account-sessions.ts";
import type { SignedIn } from "../tokens/caller.ts";
import type { Owner, RequirePassword } from "../two-factor/reauthentication.ts";
import { createDeletionRequest } from "./deletion-request.ts";
import type { Addresses } from "./email-addresses.ts";
import { createPasswordChanges, type PasswordChange } from "./password-changes.ts";
import { createProfileChanges, type ProfileChange } from "./profile-changes.ts";
import type { Renames } from "./renames.ts";

/** The caller's own account, and what its owner changes of it. */
export type Profile = {
  /** Throws invalid_token when the account is deleted or gone; so do the other methods that take a caller. */
  me(caller: SignedIn): Promise<UserDoc>;
  /** The address that waits to be verified before it replaces the caller's; null for none. */
  pendingEmail(caller: SignedIn): Promise<string | null>;
  /** Throws username_taken, username_locked, invalid_credentials, rate_limited, validation_failed. */
  updateMe(caller: SignedIn, change: ProfileChange, origin: Origin): Promise<UserDoc>;
  /** Verifies an address by the token that was mailed to it. Throws invalid_token, email_taken. */
  verifyEmail(token: string, origin: Origin): Promise<void>;
  /** Throws rate_limited. */
  resendVerification(caller: SignedIn): Promise<void>;
  /** Ends every other session. Throws invalid_credentials, validation_failed, rate_limited, invalid_state. */
  changePassword(caller: SignedIn, change: PasswordChange, origin: Origin): Promise<void>;
  /** Ends every session; signing in within 30 days undoes it. Throws invalid_credentials, rate_limited. */
  deleteAccount(caller: SignedIn, password: string | undefined, origin: Origin): Promise<void>;
};

type Deps = {
  mongo: Mongo;
  users: Users;
  ownAccounts: { requireOwn(userId: string): Promise<UserDoc> };
  sessions: Pick<Sessions, "endAllBut">;
  tokens: Pick<ApiTokensStore, "endAll" | "endOfOthers">;
  emailTokens: Pick<EmailTokens, "undosOf">;
  files: Pick<Files, "drop">;
  addresses: Addresses;
  renames: Pick<Renames, "note">;
  passwords: Passwords;
  throttle: LoginThrottle;
  requirePassword: RequirePassword;
  accountSessions: AccountSessions;
  mails: Pick<Mails, "request">;
  audit: Audit;
  clock: Clock;
};

export function createProfile(deps: Deps): Profile {
  const { ownAccounts, addresses, renames, accountSessions } = deps;
  const requireSession = accountSessions.requireActive;
  const changes = createProfileChanges({ ...deps, requireSession });
  const changePassword = createPasswordChanges(deps);
  const requestDeletion = createDeletionRequest({
    ...deps,
    endedAll: accountSessions.endedAll,
    requireSession,
  });
  const me = (caller: SignedIn) => ownAccounts.requireOwn(caller.userId);
  const ownerOf = async (caller: SignedIn, origin: Origin): Promise<Owner> => ({
    user: await me(caller),
    caller,
    origin,
  });

  return {
    me,
    pendingEmail: ({ userId }) => addresses.pending(userId),
    async updateMe(caller, change, origin) {
      const owner = await ownerOf(caller, origin);
      const { _id: userId, username: before } = owner.user;
      const changed = await changes.apply(owner, change);
      if (changed.username !== before) renames.note({ userId, username: changed.username });
      return changed;
    },
    verifyEmail: addresses.verify,
    resendVerification: async (caller) => addresses.resend(await me(caller)),
    async changePassword(caller, change, origin) {
      await changePassword(await ownerOf(caller, origin), change);
    },
    async deleteAccount(caller, password, origin) {
      await requestDeletion(await ownerOf(caller, origin), password);
    },
  };
}
