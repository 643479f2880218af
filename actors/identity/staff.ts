import { ServiceError } from "../../specs/contract/errors.ts";
import type { Actor, Audit } from "../../store/audit.ts";
import { apiTokensIn } from "../../store/mongo/api-tokens.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { type PublicUserDoc, usersIn } from "../../store/mongo/users.ts";

/** Staff act with two factors alone: without, an account is everybody's equal. */
export const isAbleStaff = (user: Pick<PublicUserDoc, "isStaff" | "twoFactorEnabledAt"> | null): boolean =>
  user?.isStaff === true && Boolean(user.twoFactorEnabledAt);

/**
 * Makes a user staff or an ordinary user again; throws `not_found` for a name that nobody has. Staff have no personal API
 * tokens, which would be staff without a second factor: those there are end, as workers find within a second.
 */
export async function setStaff(
  { mongo, audit, now }: { mongo: Mongo; audit: Audit; now: Date },
  username: string,
  isStaff: boolean,
  by: Actor,
): Promise<void> {
  const users = usersIn(mongo.db);
  const tokens = apiTokensIn(mongo.db);
  const user = await users.findPublicByUsername(username.toLowerCase());
  if (!user || user.status === "deleted") throw new ServiceError("not_found");
  const accountId = user._id;
  const ended = await inTransaction(mongo.client, async (session) => {
    await users.update(accountId, { $set: { isStaff, updatedAt: now } }, { session });
    return isStaff ? tokens.endAll(accountId, "ended", session) : [];
  });
  audit(isStaff ? "staff.granted" : "staff.revoked", by, { accountId });
  for (const grantId of ended) audit("api_token.ended", by, { grantId, accountId, reason: "staff" });
}
