import type { Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { ServiceError } from "../../../contract/errors.ts";
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
  secondFactorChanges: Pick<SecondFactorChanges, "requireCode">;
  audit: Audit;
  clock: Clock;
};

/** The proof required of that account; `sign_in` when it has neither a password nor a second factor, only a provider. */
const methodOf = ({ twoFactorEnabledAt, passwordHash }: UserDoc): "code" | "password" | "sign_in" =>
  twoFactorEnabledAt ? "code" : passwordHash === null ? "sign_in" : "password";

/** Step-up: a fresh proof of ownership for security-relevant acts; accounts with two factors give the second one. */
export function createStepUp({
  sessions,
  ownAccounts,
  requirePassword,
  secondFactorChanges,
  audit,
  clock,
}: Deps) {
  const needed = (user: UserDoc) =>
    new ServiceError("step_up_required", {
      methods: [methodOf(user)],
      max_age_seconds: FRESH_MS / 1_000,
    });

  return {
    /** Returns its expiry. Throws invalid_credentials, invalid_code, rate_limited, and step_up_required for the wrong method. */
    async stepUp(owner: Owner, { password, code }: { password?: string; code?: string }): Promise<Date> {
      const { user, caller, origin } = owner;
      if (user.twoFactorEnabledAt) {
        if (code === undefined) throw needed(user);
        await secondFactorChanges.requireCode(owner, code, "step_up");
      } else {
        if (password === undefined) throw needed(user);
        await requirePassword(owner, password, "step_up");
      }
      const now = clock.now();
      await sessions.prove(caller.sessionId, { steppedUpAt: new Date(now) });
      audit("step_up.succeeded", { userId: user._id, origin }, { sessionId: caller.sessionId });
      return new Date(now + FRESH_MS);
    },

    /** Throws `step_up_required`, and `invalid_token` for a session that has ended. */
    async requireFresh({ userId, sessionId }: SignedIn): Promise<void> {
      const session = await sessions.find(sessionId);
      if (!session || session.endedAt !== null) throw new ServiceError("invalid_token");
      const provenAt = Math.max(session.createdAt.getTime(), session.steppedUpAt?.getTime() ?? 0);
      if (provenAt + FRESH_MS <= clock.now()) throw needed(await ownAccounts.requireOwn(userId));
    },
  };
}

export type StepUp = ReturnType<typeof createStepUp>;
