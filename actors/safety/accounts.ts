import type { Clock } from "../../base/clock.ts";
import { ServiceError } from "../../contract/errors.ts";
import { type AccountBanDoc, accountBansIn } from "../../store/mongo/accounts/account-bans.ts";
import { sessionsIn } from "../../store/mongo/accounts/sessions.ts";
import { type UserDoc, usersIn } from "../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { Range } from "../../store/mongo/driver/page.ts";
import { strikesIn } from "../../store/mongo/safety/strikes.ts";
import type { AuditTrail } from "../accounts/public.ts";
import type { ByStaff } from "./sanctions.ts";

/** An account has no more at once. */
const MAX_SESSIONS = 50;

type Deps = { mongo: Mongo; auditTrail: AuditTrail; clock: Clock };

/** An account with what staff see in addition to its owner's view. */
export type StaffAccount = {
  user: UserDoc;
  liveStrikes: number;
  ban: AccountBanDoc | null;
  /** Only of one account that is looked at. */
  sessionCount?: number;
};

/** Accounts as staff see them. */
export function createAccountDirectory({ mongo, auditTrail, clock }: Deps) {
  const users = usersIn(mongo.db);
  const bans = accountBansIn(mongo.db);
  const strikes = strikesIn(mongo.db);
  const sessions = sessionsIn(mongo.db);
  const now = () => new Date(clock.now());

  async function withStanding(found: UserDoc[]): Promise<StaffAccount[]> {
    const ids = found.map(({ _id }) => _id);
    const [current, live] = await Promise.all([bans.currentAmong(ids), strikes.liveAmong(ids, now())]);
    const byUser = new Map(current.map((ban) => [ban.userId, ban]));
    return found.map((user) => ({
      user,
      liveStrikes: live.get(user._id) ?? 0,
      ban: byUser.get(user._id) ?? null,
    }));
  }

  async function one(user: UserDoc | null): Promise<StaffAccount> {
    const [account] = user ? await withStanding([user]) : [];
    if (!account) throw new ServiceError("not_found");
    return account;
  }

  return {
    /** With the number of its sessions. Throws `not_found`. */
    async require(userId: string): Promise<StaffAccount & { sessionCount: number }> {
      const [account, active] = await Promise.all([
        users.find(userId).then(one),
        sessions.active(userId, now(), 0, MAX_SESSIONS),
      ]);
      return { ...account, sessionCount: active.length };
    },

    /** Sorted by name. `q` is a prefix of the name, or a complete e-mail address or id. */
    async page(
      filter: { q: string | null; status: UserDoc["status"] | null },
      range: Range,
    ): Promise<{ items: StaffAccount[]; total: number }> {
      const { items, total } = await users.page(filter, range);
      return { items: await withStanding(items), total };
    },

    /** Throws `not_found`, `self_target`. */
    async setVerified(userId: string, isVerified: boolean, by: ByStaff): Promise<StaffAccount> {
      if (userId === by.userId) throw new ServiceError("self_target");
      const user = await auditTrail.transact(async (session, note) => {
        const changed = await users.setVerified(userId, isVerified, now(), session);
        if (changed) note("account.verified", by, { accountId: userId, isVerified });
        return changed;
      });
      return one(user);
    },
  };
}
