/**
 * The second factor of an account (decision 0043):
 * 1. A set-up is shown once: the authenticator's secret and ten recovery codes. It has no effect until a code verifies it.
 * 2. The code that verifies it enables it: from then on signing in requires a code, and every other session is ended.
 * 3. Disabling it requires the password, if there is one, and a code; every other session is ended again.
 */

import type { Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { type PendingTwoFactor, twoFactorsIn } from "../../../store/mongo/accounts/two-factor.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { Sealing } from "../../keys/sealing.ts";
import type { Mails } from "../../mail/mails.ts";
import { type LoginThrottle, notingThrottle, throttleKeys } from "../passwords/login-throttle.ts";
import type { AccountSessions } from "../sessions/account-sessions.ts";
import type { SignedIn } from "../tokens/caller.ts";
import { groupedCodeHash } from "../tokens/grouped-codes.ts";
import { type Enrolment, type NewTwoFactor, totpContext } from "./enrolment.ts";
import { noticeOf } from "./notices.ts";
import { stepOf } from "./one-time-codes.ts";
import type { Owner, RequirePassword } from "./reauthentication.ts";
import { newRecoveryCodes } from "./recovery-codes.ts";
import type { SecondFactor } from "./second-factor.ts";

type Deps = {
  mongo: Mongo;
  enrolment: Enrolment;
  secondFactor: SecondFactor;
  requirePassword: RequirePassword;
  requireFresh(caller: SignedIn): Promise<void>;
  accountSessions: Pick<AccountSessions, "endOthers">;
  throttle: LoginThrottle;
  sealing: Sealing;
  mails: Pick<Mails, "request">;
  audit: Audit;
  clock: Clock;
};

export function createSecondFactorChanges(deps: Deps) {
  const { mongo, enrolment, secondFactor, requirePassword, requireFresh, accountSessions, throttle } = deps;
  const { sealing, mails, audit, clock } = deps;
  const twoFactors = twoFactorsIn(mongo.db);

  /** Throws `invalid_code`, `rate_limited`. */
  async function requireCode(
    { user, caller, origin }: Owner,
    code: string,
    purpose: "two_factor" | "step_up" = "two_factor",
  ): Promise<void> {
    const by = { userId: user._id, origin };
    const { by: method } = await secondFactor.take(
      { userId: user._id, code, key: throttleKeys.session(caller) },
      {
        onRefused: () => audit("reauthentication.refused", by, { purpose }),
        onThrottled: (waited) => audit("reauthentication.throttled", by, { purpose, ...waited }),
      },
    );
    if (method === "recovery_code") audit("recovery_code.used", by, { accountId: user._id });
  }

  /** The time step of a set-up's code; attempts are counted per session. */
  async function provenStep(
    { user, caller, origin }: Owner,
    { secretSealed }: PendingTwoFactor,
    code: string,
  ) {
    const by = { userId: user._id, origin };
    const purpose = "two_factor";
    let step: number | null = null;
    const check = async () => {
      step = stepOf(sealing.unseal(secretSealed, totpContext(user._id)), code, clock.now());
      return step !== null;
    };
    await throttle.attempt(throttleKeys.session(caller), check).catch((err: unknown) => {
      throw notingThrottle(err, (waited) => audit("reauthentication.throttled", by, { purpose, ...waited }));
    });
    if (step !== null) return step;
    audit("reauthentication.refused", by, { purpose });
    throw new ServiceError("invalid_code");
  }

  const requireOn = (user: UserDoc): void => {
    if (!user.twoFactorEnabledAt) throw new ServiceError("invalid_state", { status: "disabled" });
  };

  return {
    /** Replaces a set-up that wasn't verified. Throws `invalid_state` while a second factor is enabled. */
    async setUp({ user }: Owner): Promise<NewTwoFactor> {
      const begun = await enrolment.begin(user);
      if (!begun) throw new ServiceError("invalid_state", { status: "enabled" });
      return begun.shown;
    },

    /** Throws `invalid_code`, `rate_limited`, and `invalid_state` without a pending set-up. */
    async verify(owner: Owner, code: string): Promise<void> {
      const { user, caller, origin } = owner;
      const doc = await twoFactors.find(user._id);
      const status = doc?.secretSealed ? "enabled" : "disabled";
      if (!doc?.pending || doc.pending.expiresAt.getTime() <= clock.now())
        throw new ServiceError("invalid_state", { status });
      const step = await provenStep(owner, doc.pending, code);
      await throttle.takeChange("two_factor_changes", user._id);
      const by = { userId: user._id, origin };
      if (!(await enrolment.enable({ user, keep: caller.sessionId, by }, doc.pending, step)))
        throw new ServiceError("invalid_state");
      await accountSessions.endOthers(user._id, caller.sessionId, origin, "two_factor_changed");
    },

    /**
     * An account without a password needs a recent sign-in or step-up instead. Throws `invalid_credentials`,
     * `step_up_required`, `invalid_code`, `rate_limited`, `invalid_state`.
     */
    async disable(owner: Owner, { password, code }: { password?: string; code: string }): Promise<void> {
      const { user, caller, origin } = owner;
      requireOn(user);
      if (user.passwordHash === null) await requireFresh(caller);
      else await requirePassword(owner, password ?? "", "two_factor");
      await requireCode(owner, code);
      if (!(await enrolment.disable(user, { userId: user._id, origin })))
        throw new ServiceError("invalid_state", { status: "disabled" });
      await accountSessions.endOthers(user._id, caller.sessionId, origin, "two_factor_changed");
    },

    /** Replaces the recovery codes; the new ones are shown once. Throws `invalid_code`, `rate_limited`, `invalid_state`. */
    async renewRecoveryCodes(owner: Owner, code: string): Promise<string[]> {
      const { user, origin } = owner;
      requireOn(user);
      await requireCode(owner, code);
      const codes = newRecoveryCodes();
      const notice = noticeOf(user, "recovery_codes_renewed", clock.now());
      const isDone = await inTransaction(mongo.client, async (session) => {
        if (!(await twoFactors.renewRecoveryCodes(user._id, codes.map(groupedCodeHash), session)))
          return false;
        if (user.emailVerifiedAt) await mails.request(notice, session);
        return true;
      });
      if (!isDone) throw new ServiceError("invalid_state", { status: "disabled" });
      audit("recovery_codes.renewed", { userId: user._id, origin }, { accountId: user._id });
      return codes;
    },

    requireCode,
  };
}

export type SecondFactorChanges = ReturnType<typeof createSecondFactorChanges>;
