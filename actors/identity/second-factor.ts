import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import type { TwoFactors } from "../../store/mongo/two-factor.ts";
import { totpContext } from "./enrolment.ts";
import { type LoginThrottle, noted, type ThrottleKey } from "./login-throttle.ts";
import type { Sealing } from "./sealing.ts";
import { stepOf } from "./two-factor/one-time-codes.ts";
import { isRecoveryCode, recoveryHash } from "./two-factor/recovery-codes.ts";

/** What a code was; `left` is how many recovery codes there still are. */
export type Shown = { by: "authenticator" } | { by: "recovery_code"; left: number };

type Waited = { bucket: string; retryAfterMs: number };

/**
 * Looks at codes. Each is taken by one conditional write, so that of requests at once with the same code one has it: an
 * authenticator's by its time step, a recovery code by leaving the account's list.
 */
export function createSecondFactor(deps: {
  twoFactors: Pick<TwoFactors, "find" | "takeStep" | "takeRecoveryCode">;
  throttle: LoginThrottle;
  sealing: Sealing;
  clock: Clock;
}) {
  const { twoFactors, throttle, sealing, clock } = deps;

  async function look(userId: string, code: string): Promise<Shown | null> {
    const doc = await twoFactors.find(userId);
    if (!doc?.secretSealed) return null;
    if (isRecoveryCode(code)) {
      const left = await twoFactors.takeRecoveryCode(userId, recoveryHash(code));
      return left === null ? null : { by: "recovery_code", left };
    }
    const step = stepOf(sealing.unseal(doc.secretSealed, totpContext(userId)), code, clock.now());
    if (step === null) return null;
    return (await twoFactors.takeStep(userId, doc.secretSealed, step)) ? { by: "authenticator" } : null;
  }

  return {
    /**
     * Takes a code, as often as `key` may try. `before` runs first and counts for nothing when it throws. Throws
     * `invalid_code`, `rate_limited`.
     */
    async take(
      { userId, code, key }: { userId: string; code: string; key: ThrottleKey },
      {
        before = async () => undefined,
        onRefused,
        onThrottled,
      }: {
        before?: () => Promise<void>;
        onRefused: () => void;
        onThrottled: (waited: Waited) => void;
      },
    ): Promise<Shown> {
      let shown: Shown | null = null;
      const check = async () => {
        await before();
        shown = await look(userId, code);
        return shown !== null;
      };
      await throttle.attempt(key, check).catch((err: unknown) => {
        throw noted(err, onThrottled);
      });
      if (shown) return shown;
      onRefused();
      throw new ServiceError("invalid_code");
    },
  };
}

export type SecondFactor = ReturnType<typeof createSecondFactor>;
