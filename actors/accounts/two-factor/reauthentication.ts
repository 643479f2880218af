import type { Audit, AuditFields, Origin } from "../../../base/audit.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import { type LoginThrottle, notingThrottle, throttleKeys } from "../passwords/login-throttle.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { SignedIn } from "../tokens/caller.ts";

/** The account, and the session that requests the change. */
export type Owner = { user: UserDoc; caller: SignedIn; origin: Origin };

export type RequirePassword = (
  owner: Owner,
  password: string,
  purpose: AuditFields<"reauthentication.refused">["purpose"],
) => Promise<void>;

/**
 * Requires the password again. Attempts are counted per session, so that strangers' guesses can't use them up. Throws
 * `invalid_credentials`, `rate_limited`.
 */
export function createReauthentication({
  passwords,
  throttle,
  audit,
}: {
  passwords: Pick<Passwords, "matches">;
  throttle: LoginThrottle;
  audit: Audit;
}): RequirePassword {
  return async ({ user, caller, origin }, password, purpose) => {
    const by = { userId: user._id, origin };
    const check = () => passwords.matches(user.passwordHash, password);
    const matches = await throttle.attempt(throttleKeys.session(caller), check).catch((err: unknown) => {
      throw notingThrottle(err, (waited) => audit("reauthentication.throttled", by, { purpose, ...waited }));
    });
    if (matches) return;
    audit("reauthentication.refused", by, { purpose });
    throw new ServiceError("invalid_credentials");
  };
}
