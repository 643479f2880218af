import type { Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { PasskeysStore } from "../../../store/mongo/accounts/passkeys.ts";
import type { Sessions } from "../../../store/mongo/accounts/sessions.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { SignedIn } from "../tokens/caller.ts";
import type { Owner, RequirePassword } from "./reauthentication.ts";
import type { SecondFactorChanges } from "./second-factor-changes.ts";

/** How long a sign-in or a step-up counts as fresh. */
const FRESH_MS = 5 * MINUTE_MS;

type Deps = {
  sessions: Pick<Sessions, "find" | "prove">;
  ownAccounts: { requireOwn(userId: string): Promise<UserDoc> };
  requirePassword: RequirePassword;
  passkeys: Pick<PasskeysStore, "has">;
  secondFactorChanges: Pick<SecondFactorChanges, "requireCode">;
  audit: Audit;
  clock: Clock;
};

/** The proof required of that account; `sign_in` when it has neither a password nor a second factor, only a provider. */
const methodOf = ({ twoFactorEnabledAt, passwordHash }: UserDoc): "code" | "password" | "sign_in" =>
  twoFactorEnabledAt ? "code" : passwordHash === null ? "sign_in" : "password";

/**
 * Step-up: a fresh proof of ownership for security-relevant acts. Accounts with two factors give the second one; a passkey, which is
 * verified elsewhere (`passkey-proofs.ts`), is enough for any account.
 */
export function createStepUp({
  sessions,
  ownAccounts,
  requirePassword,
  passkeys,
  secondFactorChanges,
  audit,
  clock,
}: Deps) {
  async function needed(user: UserDoc): Promise<ServiceError> {
    const methods = [methodOf(user), ...((await passkeys.has(user._id)) ? ["passkey"] : [])];
    return new ServiceError("step_up_required", { methods, max_age_seconds: FRESH_MS / 1_000 });
  }

  /** For an owner who has just given the proof. Returns its expiry. */
  async function steppedUp({ user, caller, origin }: Owner): Promise<Date> {
    const now = clock.now();
    await sessions.prove(caller.sessionId, { steppedUpAt: new Date(now) });
    audit("step_up.succeeded", { userId: user._id, origin }, { sessionId: caller.sessionId });
    return new Date(now + FRESH_MS);
  }

  return {
    steppedUp,

    /** Returns its expiry. Throws invalid_credentials, invalid_code, rate_limited, and step_up_required for the wrong method. */
    async stepUp(owner: Owner, { password, code }: { password?: string; code?: string }): Promise<Date> {
      const { user } = owner;
      if (user.twoFactorEnabledAt) {
        if (code === undefined) throw await needed(user);
        await secondFactorChanges.requireCode(owner, code, "step_up");
      } else {
        if (password === undefined) throw await needed(user);
        await requirePassword(owner, password, "step_up");
      }
      return steppedUp(owner);
    },

    /** Throws `step_up_required`, and `invalid_token` for a session that has ended. */
    async requireFresh({ userId, sessionId }: SignedIn): Promise<void> {
      const session = await sessions.find(sessionId);
      if (!session || session.endedAt !== null) throw new ServiceError("invalid_token");
      const provenAt = Math.max(session.createdAt.getTime(), session.steppedUpAt?.getTime() ?? 0);
      if (provenAt + FRESH_MS <= clock.now()) throw await needed(await ownAccounts.requireOwn(userId));
    },
  };
}

export type StepUp = ReturnType<typeof createStepUp>;
