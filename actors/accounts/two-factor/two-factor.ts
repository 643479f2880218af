import type { Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import type { PasskeysStore } from "../../../store/mongo/accounts/passkeys.ts";
import type { Sessions } from "../../../store/mongo/accounts/sessions.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Sealing } from "../../keys/sealing.ts";
import type { Mails } from "../../mail/mails.ts";
import type { LoginThrottle } from "../passwords/login-throttle.ts";
import type { AccountSessions } from "../sessions/account-sessions.ts";
import type { SignedIn } from "../tokens/caller.ts";
import { createEnrolment } from "./enrolment.ts";
import type { Owner, RequirePassword } from "./reauthentication.ts";
import type { SecondFactor } from "./second-factor.ts";
import { createSecondFactorChanges, type SecondFactorChanges } from "./second-factor-changes.ts";
import { createStepUp, type StepUp } from "./step-up.ts";

/** The second factor of the caller's own account, and proofs that the caller still is its owner. */
export type TwoFactor = Omit<SecondFactorChanges, "requireCode"> &
  Pick<StepUp, "stepUp" | "steppedUp"> & {
    /** Throws step_up_required unless the caller has recently proved to be the owner of the account. */
    requireFresh(caller: SignedIn): Promise<void>;
    /** The caller's account, for acts that require a proof. Throws invalid_token. */
    ownerOf(caller: SignedIn, origin: Origin): Promise<Owner>;
  };

type Deps = {
  mongo: Mongo;
  sessions: Sessions;
  ownAccounts: { requireOwn(userId: string): Promise<UserDoc> };
  secondFactor: SecondFactor;
  passkeys: Pick<PasskeysStore, "has">;
  /** Of codes; the same that `secondFactor` has. */
  throttle: LoginThrottle;
  accountSessions: Pick<AccountSessions, "endOthers">;
  requirePassword: RequirePassword;
  sealing: Sealing;
  mails: Pick<Mails, "request">;
  audit: Audit;
  clock: Clock;
};

export function createTwoFactor(deps: Deps): TwoFactor {
  const requireFresh = (caller: SignedIn) => proofs.requireFresh(caller);
  const changes = createSecondFactorChanges({ ...deps, enrolment: createEnrolment(deps), requireFresh });
  const proofs = createStepUp({ ...deps, secondFactorChanges: changes });
  const { setUp, verify, disable, renewRecoveryCodes } = changes;
  return {
    setUp,
    verify,
    disable,
    renewRecoveryCodes,
    stepUp: proofs.stepUp,
    steppedUp: proofs.steppedUp,
    requireFresh,
    ownerOf: async (caller, origin) => ({
      user: await deps.ownAccounts.requireOwn(caller.userId),
      caller,
      origin,
    }),
  };
}
