import type { Clock } from "../../../base/clock.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { TwoFactors } from "../../../store/mongo/accounts/two-factor.ts";
import type { Sealing } from "../../keys/sealing.ts";
import { type LoginThrottle, notingThrottle, type ThrottleKey } from "../passwords/login-throttle.ts";
import { groupedCodeHash, isGroupedCode } from "../tokens/grouped-codes.ts";
import { totpContext } from "./enrolment.ts";
import { stepOf } from "./one-time-codes.ts";

/** The kind of code that was accepted; `left` is the number of remaining recovery codes. */
type AcceptedFactor = { by: "authenticator" } | { by: "recovery_code"; left: number };

type Waited = { bucket: string; retryAfterMs: number };

/**
 * Checks codes. Each is consumed by one conditional write, so that of concurrent requests with the same code only one
 * succeeds: an authenticator's code by its time step, a recovery code by removing it from the account's list.
 */
export function createSecondFactor(deps: {
  twoFactors: Pick<TwoFactors, "find" | "takeStep" | "takeRecoveryCode">;
  throttle: LoginThrottle;
  sealing: Sealing;
  clock: Clock;
}) {
  const { twoFactors, throttle, sealing, clock } = deps;

  async function consume(userId: string, code: string): Promise<AcceptedFactor | null> {
    const doc = await twoFactors.find(userId);
    if (!doc?.secretSealed) return null;
    if (isGroupedCode(code)) {
      const left = await twoFactors.takeRecoveryCode(userId, groupedCodeHash(code));
      return left === null ? null : { by: "recovery_code", left };
    }
    const step = stepOf(sealing.unseal(doc.secretSealed, totpContext(userId)), code, clock.now());
    if (step === null) return null;
    return (await twoFactors.takeStep(userId, doc.secretSealed, step)) ? { by: "authenticator" } : null;
  }

  return {
    /**
     * Consumes a code, limited by the attempts of `key`. `before` runs first; when it throws, no attempt is counted. Throws
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
    ): Promise<AcceptedFactor> {
      let shown: AcceptedFactor | null = null;
      const check = async () => {
        await before();
        shown = await consume(userId, code);
        return shown !== null;
      };
      await throttle.attempt(key, check).catch((err: unknown) => {
        throw notingThrottle(err, onThrottled);
      });
      if (shown) return shown;
      onRefused();
      throw new ServiceError("invalid_code");
    },
  };
}

export type SecondFactor = ReturnType<typeof createSecondFactor>;
