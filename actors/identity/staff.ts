import { ServiceError } from "../../specs/contract/errors.ts";
import type { Actor, Audit } from "../../store/audit.ts";
import type { PublicUserDoc, Users } from "../../store/mongo/users.ts";

/** Staff act with two factors alone: without, an account is everybody's equal. */
export const isAbleStaff = (user: Pick<PublicUserDoc, "isStaff" | "twoFactorEnabledAt"> | null): boolean =>
  user?.isStaff === true && Boolean(user.twoFactorEnabledAt);

/** Makes a user staff or an ordinary user again; throws `not_found` for a name that nobody has. */
export async function setStaff(
  { users, audit, now }: { users: Users; audit: Audit; now: Date },
  username: string,
  isStaff: boolean,
  by: Actor,
): Promise<void> {
  const user = await users.findPublicByUsername(username.toLowerCase());
  if (!user || user.status === "deleted") throw new ServiceError("not_found");
  await users.update(user._id, { $set: { isStaff, updatedAt: now } });
  audit(isStaff ? "staff.granted" : "staff.revoked", by, { accountId: user._id });
}
