import type { Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { pendingSignInsIn } from "../../../store/mongo/accounts/pending-sign-ins.ts";
import { sessionsIn } from "../../../store/mongo/accounts/sessions.ts";
import { twoFactorsIn } from "../../../store/mongo/accounts/two-factor.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import type { Sealing } from "../../keys/sealing.ts";
import type { Mails } from "../../mail/mails.ts";
import { CODES, createLoginThrottle } from "../passwords/login-throttle.ts";
import type { AccountSessions } from "../sessions/account-sessions.ts";
import type { Devices } from "../sessions/devices.ts";
import type { BanRefusals } from "../standing/ban-refusals.ts";
import type { Bindings } from "../tokens/bindings.ts";
import type { SignedIn } from "../tokens/caller.ts";
import { createEnrolment } from "../two-factor/enrolment.ts";
import type { RequirePassword } from "../two-factor/reauthentication.ts";
import { createSecondFactor } from "../two-factor/second-factor.ts";
import { createStepUp } from "../two-factor/step-up.ts";
import { createTwoFactor } from "../two-factor/two-factor.ts";
import type { OwnAccounts } from "./own-accounts.ts";
import { createSignInSteps } from "./sign-in-steps.ts";

/** The second factor and the features that require it, sharing one throttle of codes. */
export function createProofs(deps: {
  mongo: Mongo;
  redis: RedisConnection;
  clock: Clock;
  audit: Audit;
  mails: Pick<Mails, "request">;
  sealing: Sealing;
  ownAccounts: OwnAccounts;
  devices: Devices;
  bindings: Bindings;
  accountSessions: AccountSessions;
  banRefusals: BanRefusals;
  requirePassword: RequirePassword;
}) {
  const { db } = deps.mongo;
  const throttle = createLoginThrottle(deps.redis, CODES);
  const secondFactor = createSecondFactor({ ...deps, twoFactors: twoFactorsIn(db), throttle });
  const enrolment = createEnrolment(deps);
  const requireFresh = (caller: SignedIn) => stepUp.requireFresh(caller);
  const twoFactor = createTwoFactor({ ...deps, enrolment, secondFactor, throttle, requireFresh });
  const stepUp = createStepUp({ ...deps, sessions: sessionsIn(db), twoFactor });
  return {
    twoFactor,
    signInSteps: createSignInSteps({
      ...deps,
      secondFactor,
      users: usersIn(db),
      pendingSignIns: pendingSignInsIn(db),
    }),
    ...stepUp,
  };
}
