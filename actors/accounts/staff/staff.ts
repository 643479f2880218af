import type { Actor, Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { apiTokensIn } from "../../../store/mongo/accounts/api-tokens.ts";
import type { Sessions } from "../../../store/mongo/accounts/sessions.ts";
import { type Users, type UserWithoutSecrets, usersIn } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { SignedIn, Viewer } from "../tokens/caller.ts";
import type { StaffMembers } from "./staff-members.ts";

/** Who is staff, and what only staff may do and see. */
export type Staff = {
  /** Whether the account may act as staff. Requires a second factor, so that each of its sessions has passed it. */
  isStaff(userId: string): Promise<boolean>;
  /**
   * Whether somebody was made staff, with a second factor or not. A yes is remembered as long as the process lives, since strangers ask
   * until there is one.
   */
  hasStaff(): Promise<boolean>;
  /** Whether a viewer is shown what only staff are: in a session. By a personal token they see what anybody sees. */
  seesAsStaff(viewer: Viewer): Promise<boolean>;
  /** Throws forbidden for everybody else, two_factor_required for staff in a session without a second factor. */
  requireStaff(caller: SignedIn): Promise<void>;
  /** Throws not_found. */
  setStaff(username: string, isStaff: boolean, by: Actor): Promise<void>;
  /** From memory; may be some seconds old. */
  isKnownStaff(userId: string): boolean;
  /** Calls the handler for each user who became staff or no longer is; returns a function that unsubscribes. */
  onStaffChanged(handler: (userId: string) => void): () => void;
};

type Deps = {
  mongo: Mongo;
  users: Pick<Users, "findPublic" | "hasStaff">;
  sessions: Pick<Sessions, "find">;
  members: Pick<StaffMembers, "has" | "onChanged">;
  audit: Audit;
  clock: Clock;
};

export function createStaff({ mongo, users, sessions, members, audit, clock }: Deps): Staff {
  const isStaff = async (userId: string) => isAbleStaff(await users.findPublic(userId));
  let hadStaff = false;

  return {
    isStaff,
    async hasStaff() {
      hadStaff ||= await users.hasStaff();
      return hadStaff;
    },
    async seesAsStaff(viewer) {
      const passes = viewer !== null && viewer.grant === null && (await isStaff(viewer.userId));
      if (passes) viewer.passedAsStaff = true;
      return passes;
    },
    async requireStaff({ userId, sessionId }) {
      const [user, session] = await Promise.all([users.findPublic(userId), sessions.find(sessionId)]);
      if (!user?.isStaff) throw new ServiceError("forbidden");
      if (!isAbleStaff(user) || !session?.secondFactor) throw new ServiceError("two_factor_required");
    },
    setStaff: (username, willBeStaff, by) =>
      setStaff({ mongo, audit, now: new Date(clock.now()) }, username, willBeStaff, by),
    isKnownStaff: members.has,
    onStaffChanged: members.onChanged,
  };
}

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
