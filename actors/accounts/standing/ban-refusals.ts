import type { Actor, Audit, Origin } from "../../../base/audit.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { AccountBans } from "../../../store/mongo/accounts/account-bans.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { AppealTokens } from "../tokens/appeal-tokens.ts";

type Deps = {
  bans: Pick<AccountBans, "currentOf">;
  appealTokens: Pick<AppealTokens, "make">;
  audit: Audit;
};

/** Refuses banned users who have just proved that the account is theirs, by any factor. */
export function createBanRefusals({ bans, appealTokens, audit }: Deps) {
  /** The details for an appeal against the ban; empty for bans of an older release, which weren't stored. */
  async function appealOf(userId: string) {
    const ban = await bans.currentOf(userId);
    if (!ban) return {};
    const token = appealTokens.make({ userId, banId: ban._id });
    return { appeal_token: token, subject_type: "ban", subject_id: ban._id, reason: ban.reason };
  }

  async function refuse(userId: string, origin: Origin): Promise<never> {
    const by: Actor = { userId, origin };
    audit("sign_in.refused", by, { reason: "account_banned" });
    throw new ServiceError("account_banned", await appealOf(userId));
  }

  return {
    /** Throws `account_banned`, with the appeal token for the owner. */
    async requireNotBanned(user: UserDoc, origin: Origin): Promise<void> {
      if (user.status === "banned") await refuse(user._id, origin);
    },

    /** The same for a sign-in that may restore an account banned while it was deleted, or that meets a concurrent ban. */
    async withAppeal<T>(userId: string, origin: Origin, signIn: () => Promise<T>): Promise<T> {
      try {
        return await signIn();
      } catch (err) {
        if (err instanceof ServiceError && err.code === "account_banned") await refuse(userId, origin);
        throw err;
      }
    },
  };
}

export type BanRefusals = ReturnType<typeof createBanRefusals>;
