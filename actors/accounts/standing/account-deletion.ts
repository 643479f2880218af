import type { ClientSession } from "mongodb";
import type { Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { statusChangesIn } from "./status-changes.ts";

type Deps = { mongo: Mongo; audit: Audit; clock: Clock };

export function createAccountDeletion({ mongo, audit, clock }: Deps) {
  const changeStatus = statusChangesIn(mongo.db);

  /**
   * Restores a deleted account within the transaction that proves its owner; the caller audits `account.restored`. Null when
   * it is too late. An account that was banned meanwhile is restored as banned.
   */
  async function undoIn({ _id, deletion }: UserDoc, session: ClientSession): Promise<UserDoc | null> {
    const now = new Date(clock.now());
    if (!deletion || deletion.eraseAt <= now) return null;
    const isBanned = deletion.isBanned === true;
    // Fails when an erasure has begun meanwhile, since that sets `erasedAs`.
    const expected = {
      status: "deleted" as const,
      "deletion.erasedAs": null,
      "deletion.isBanned": isBanned || { $ne: true },
    };
    const status: UserDoc["status"] = isBanned ? "banned" : "active";
    const change = {
      $set: { status, updatedAt: now },
      $unset: { deletion: "" as const },
      $inc: { standingVersion: 1 },
    };
    return changeStatus(_id, change, { session, expected, at: now });
  }

  return {
    undoIn,

    /** Whether signing in would restore the account. */
    isUndoable: ({ status, deletion }: UserDoc): boolean =>
      status === "deleted" &&
      deletion !== undefined &&
      deletion.erasedAs === null &&
      deletion.eraseAt.getTime() > clock.now(),

    /** Restores an account whose owner has just signed in; null when it is too late, or the account isn't deleted. */
    async undo(user: UserDoc, origin: Origin): Promise<UserDoc | null> {
      const back = await inTransaction(mongo.client, (session) => undoIn(user, session));
      if (back) audit("account.restored", { userId: user._id, origin }, {});
      return back;
    },
  };
}

export type AccountDeletion = ReturnType<typeof createAccountDeletion>;
