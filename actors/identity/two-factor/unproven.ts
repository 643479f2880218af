import type { ClientSession } from "mongodb";
import type { Mongo } from "../../../store/mongo/connect.ts";
import { twoFactorsIn } from "../../../store/mongo/two-factor.ts";
import { usersIn } from "../../../store/mongo/users.ts";

/**
 * Who shows by mail whose account it is must not be asked for a stranger's code. Removes a set-up that waits, and a second
 * factor that came in force while the address was unproven or, given `since`, from that time on; else it stays. One that
 * an operator gave stays in either case. True when one was in force. Belongs into the transaction that ends the sessions.
 */
export async function removeStrangersFactor(
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
