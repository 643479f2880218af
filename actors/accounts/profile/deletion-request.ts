import type { ClientSession } from "mongodb";
import type { Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { ApiTokensStore } from "../../../store/mongo/accounts/api-tokens.ts";
import type { EmailTokens } from "../../../store/mongo/accounts/email-tokens.ts";
import type { Sessions } from "../../../store/mongo/accounts/sessions.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { Mails } from "../../mail/mails.ts";
import type { AccountSessions } from "../sessions/account-sessions.ts";
import { statusChangesIn } from "../standing/status-changes.ts";
import type { Owner, RequirePassword } from "../two-factor/reauthentication.ts";

/** Within this time, signing in undoes the deletion. */
const RESTORABLE_MS = 30 * DAY_MS;

/** How many former addresses are notified of a deletion, oldest first, so that many changes can't push out the owner's. */
const MAX_FORMER_ADDRESSES = 20;

type Deps = {
  mongo: Mongo;
  sessions: Pick<Sessions, "endAllBut">;
  tokens: Pick<ApiTokensStore, "endAll">;
  emailTokens: Pick<EmailTokens, "undosOf">;
  mails: Pick<Mails, "request">;
  requirePassword: RequirePassword;
  requireSession: (sessionId: string, session: ClientSession) => Promise<void>;
  endedAll: AccountSessions["endedAll"];
  audit: Audit;
  clock: Clock;
};

export function createDeletionRequest(deps: Deps) {
  const { mongo, sessions, tokens, emailTokens, mails, requirePassword, requireSession } = deps;
  const { endedAll, audit, clock } = deps;
  const changeStatus = statusChangesIn(mongo.db);

  /** Mails all addresses that may restore the account: the session that deletes it may not be the owner's. */
  async function notifyOwners(
    { _id: userId, username, email, emailVerifiedAt }: UserDoc,
    at: Date,
    session: ClientSession,
  ) {
    const own = emailVerifiedAt ? [{ to: email, undoneUntil: null }] : [];
    const links = await emailTokens.undosOf(userId, at, MAX_FORMER_ADDRESSES, session);
    const former = links.map((link) => ({ to: link.email, undoneUntil: link.expiresAt.toISOString() }));
    for (const { to, undoneUntil } of [...own, ...former]) {
      const data = { username, at: at.toISOString(), undoneUntil };
      const key = `account_deleted:${newId()}`;
      await mails.request({ key, template: "account_deleted", to, userId, data }, session);
    }
  }

  /**
   * Disables the account at once. The jobs end what goes on in its name, and erase it after 30 days. For an
   * account without a password, the step-up made before this call is the only proof. Throws `invalid_credentials`,
   * `rate_limited`.
   */
  return async (owner: Owner, password: string | undefined): Promise<void> => {
    const { _id: userId, passwordHash } = owner.user;
    if (passwordHash !== null) await requirePassword(owner, password ?? "", "deletion");
    const requestedAt = new Date(clock.now());
    const eraseAt = new Date(clock.now() + RESTORABLE_MS);
    const due = { dueAt: requestedAt, failures: 0 };
    const deletion = { requestedAt, eraseAt, isSettled: false, erasedAs: null, ...due };
    const change = {
      $set: { status: "deleted" as const, deletion, updatedAt: requestedAt },
      $inc: { standingVersion: 1 },
    };
    const ended = await inTransaction(mongo.client, async (session) => {
      // The account may have been recovered by mail since the password was checked.
      await requireSession(owner.caller.sessionId, session);
      const expected = { status: "active" as const, passwordHash };
      const gone = await changeStatus(userId, change, { session, expected, at: requestedAt });
      if (!gone) throw new ServiceError("invalid_credentials");
      await notifyOwners(gone, requestedAt, session);
      const tokenIds = await tokens.endAll(userId, "ended", session);
      return { tokenIds, sessionIds: await sessions.endAllBut(userId, null, session) };
    });
    const by = { userId, origin: owner.origin };
    audit("account.deleted", by, {});
    await endedAll(userId, ended, { why: "account_deleted", by });
  };
}
