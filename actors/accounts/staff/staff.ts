import type { Actor, Audit } from "../../../base/audit.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { apiTokensIn } from "../../../store/mongo/accounts/api-tokens.ts";
import { type UserWithoutSecrets, usersIn } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";

/** Staff have their rights only with a second factor; without one the account is an ordinary one. */
export const isAbleStaff = (
  user: Pick<UserWithoutSecrets, "isStaff" | "twoFactorEnabledAt"> | null,
): boolean => user?.isStaff === true && Boolean(user.twoFactorEnabledAt);

/**
 * Makes a user staff or an ordinary user again; throws `not_found` for an unknown name. Staff can't have personal API
 * tokens, which would act as staff without a second factor: existing ones are revoked, which workers notice within a second.
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
