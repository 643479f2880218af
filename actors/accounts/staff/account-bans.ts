import type { Actor, Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { AccountBanDoc, AccountBans } from "../../../store/mongo/accounts/account-bans.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { AccountSessions } from "../sessions/account-sessions.ts";
import { auditEntryOf, type Banned, type StandingChanges } from "../standing/account-standing.ts";
import type { AuditTrail } from "../standing/audit-trail.ts";
import type { AppealTokens, Appellant } from "../tokens/appeal-tokens.ts";

type Deps = {
  mongo: Mongo;
  bans: Pick<AccountBans, "currentOf">;
  standing: Pick<StandingChanges, "ban" | "unban">;
  trail: AuditTrail;
  appealTokens: Pick<AppealTokens, "read">;
  accountSessions: Pick<AccountSessions, "announceBanned" | "endBanned">;
  audit: Audit;
  clock: Clock;
};

/** Stand-alone bans of whole accounts. Reports and strikes ban within their own transactions, and then call `banned`. */
export type AccountBanning = {
  /**
   * Bans the account, ends all its sessions and announces that; idempotent. Throws `not_found`, and `forbidden` for staff.
   * Sanctions handle the other consequences of a ban.
   */
  ban(userId: string, by: Actor, reason?: string): Promise<AccountBanDoc>;
  /** Records and announces a ban that another transaction committed; doesn't need the database and never rejects. */
  banned(banned: Banned, by: Actor): Promise<void>;
  /** With `banId`, throws `invalid_state` if it is another ban that is in force. */
  unban(userId: string, by: Actor, banId?: string | null): Promise<void>;
  /** Ends sessions that began concurrently with a ban, and announces again all that the ban ended. */
  endBanned(userId: string, by: Actor): Promise<void>;
  /** Who may appeal with that token, and against which ban; null for an invalid token. */
  appellantOf(token: string): Appellant | null;
};

export function createAccountBans(deps: Deps): AccountBanning {
  const { mongo, bans, standing, trail, appealTokens, accountSessions, audit, clock } = deps;

  const banned: AccountBanning["banned"] = async (made, by) => {
    audit("account.banned", by, { accountId: made.ban.userId });
    trail.written([auditEntryOf(made.ban._id)]);
    await accountSessions.announceBanned(made, by);
  };

  return {
    banned,
    endBanned: accountSessions.endBanned,
    appellantOf: appealTokens.read,
    async ban(userId, by, reason = "") {
      const at = new Date(clock.now());
      const request = { banId: newId(), userId, reason, by: by.userId, reportId: null, at };
      const made = await inTransaction(mongo.client, (session) => standing.ban(request, session));
      if (made) await banned(made, by);
      const current = made?.ban ?? (await bans.currentOf(userId));
      if (!current) throw new ServiceError("not_found");
      return current;
    },
    async unban(userId, by, banId = null) {
      const request = { userId, by: by.userId, at: new Date(clock.now()) };
      await trail.transact(async (session, note) => {
        const current = banId === null ? null : await bans.currentOf(userId, session);
        if (current && current._id !== banId) throw new ServiceError("invalid_state");
        if (await standing.unban(request, session)) note("account.unbanned", by, { accountId: userId });
      });
    },
  };
}
