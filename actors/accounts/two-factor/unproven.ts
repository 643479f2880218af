import type { ClientSession } from "mongodb";
import { twoFactorsIn } from "../../../store/mongo/accounts/two-factor.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";

/**
 * An owner who recovers an account by mail must not need a stranger's code. Removes a pending set-up, and a second
 * factor that was enabled while the address was unverified or, with `since`, from that time on. One given by an operator
 * always stays. Returns true when an enabled factor was removed. Must run in the transaction that ends the sessions.
 */
export async function removeUnprovenFactor(
  { db }: Pick<Mongo, "db">,
  { userId, since, now }: { userId: string; since: Date | null; now: Date },
  session: ClientSession,
): Promise<boolean> {
  const [twoFactors, users] = [twoFactorsIn(db), usersIn(db)];
  const enabledAt = (await users.find(userId, session))?.twoFactorEnabledAt;
  const isSince = since !== null && enabledAt != null && enabledAt >= since;
  if (!(await twoFactors.removeUnsure(userId, isSince, session))) return false;
  await users.update(userId, { $set: { twoFactorEnabledAt: null, updatedAt: now } }, { session });
  return enabledAt != null;
}
