import { ServiceError } from "../../specs/contract/errors.ts";
import type { Actor, Audit, Origin } from "../../store/audit.ts";
import type { AccountBans } from "../../store/mongo/account-bans.ts";
import type { UserDoc } from "../../store/mongo/users.ts";
import type { AppealTokens } from "./appeal-tokens.ts";
import type { SecondFactorPending, SignIn } from "./sign-in.ts";
import type { FirstFactor, SignInSteps } from "./sign-in-steps.ts";

type Deps = {
  bans: Pick<AccountBans, "currentOf">;
  appealTokens: Pick<AppealTokens, "make">;
  signInSteps: Pick<SignInSteps, "afterFirstFactor">;
  audit: Audit;
};

/** What follows a first factor, whichever it was: a password, or another provider's word. */
export function createFirstFactor({ bans, appealTokens, signInSteps, audit }: Deps) {
  /** What an appeal against the ban names; nothing for a ban of an older release, of which nothing is kept. */
  async function appealOf(userId: string) {
    const ban = await bans.currentOf(userId);
    if (!ban) return {};
    const token = appealTokens.make({ userId, banId: ban._id });
    return { appeal_token: token, subject_type: "ban", subject_id: ban._id };
  }

  async function refuse(userId: string, origin: Origin): Promise<never> {
    const by: Actor = { userId, origin };
    audit("sign_in.refused", by, { reason: "account_banned" });
    throw new ServiceError("account_banned", await appealOf(userId));
  }

  /** Throws `account_banned`, with what its owner appeals by. */
  async function requireNotBanned(user: UserDoc, origin: Origin): Promise<void> {
    if (user.status === "banned") await refuse(user._id, origin);
  }

  /** Throws `account_banned`, and `invalid_token` for an account that was deleted meanwhile. */
  async function afterFirstFactor(
    user: UserDoc,
    first: FirstFactor,
    origin: Origin,
  ): Promise<SignIn | SecondFactorPending> {
    await requireNotBanned(user, origin);
    try {
      return await signInSteps.afterFirstFactor(user, first, origin);
    } catch (err) {
      // Banned while it was deleted, and back by this sign-in; or banned just now.
      if (err instanceof ServiceError && err.code === "account_banned") await refuse(user._id, origin);
      throw err;
    }
  }

  return { requireNotBanned, afterFirstFactor };
}

export type AfterFirstFactor = ReturnType<typeof createFirstFactor>["afterFirstFactor"];
