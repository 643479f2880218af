import type { Actor, Audit, Origin } from "../../../base/audit.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import { type LoginThrottle, notingThrottle, throttleKeys } from "../passwords/login-throttle.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { Devices } from "../sessions/devices.ts";
import type { OpenedSession, SecondFactorPending } from "../sessions/opened-session.ts";
import type { AccountDeletion } from "../standing/account-deletion.ts";
import type { OwnAccounts } from "./own-accounts.ts";
import type { SignInSteps } from "./sign-in-steps.ts";

/**
 * Throws invalid_credentials, account_banned, rate_limited. `knownDevice` is the device token that the client stored at
 * its last sign-in, `<id>.<secret>`, whether or not we know it. In cookie mode (`viaCookie`) a sign-in that still needs a
 * second factor can only be finished with the device's cookie.
 */
export type Login = (
  input: { login: string; password: string; knownDevice: string | null; viaCookie?: boolean },
  origin: Origin,
) => Promise<OpenedSession | SecondFactorPending>;

type Deps = {
  ownAccounts: OwnAccounts;
  devices: Devices;
  deletion: Pick<AccountDeletion, "isUndoable">;
  throttle: LoginThrottle;
  passwords: Passwords;
  signInSteps: Pick<SignInSteps, "afterFirstFactor">;
  audit: Audit;
};

/**
 * Signing in (decision 0012). Strangers can't find out whether an account exists: the steps, counts and answers are the
 * same for each name until the password is right.
 */
export function createLogin(deps: Deps): Login {
  const { ownAccounts, devices, deletion, throttle, passwords, signInSteps, audit } = deps;

  /** The reason for the audit log only; the answer doesn't say whether the account exists. */
  function reasonOf(user: UserDoc | null): string {
    if (user === null) return "unknown_account";
    if (user.status === "deleted") return "account_deleted";
    return user.passwordHash === null ? "no_password" : "wrong_password";
  }

  return async ({ login, password, knownDevice, viaCookie = false }, origin) => {
    const typed = login.toLowerCase();
    const user = await ownAccounts.findByLogin(typed);
    const by: Actor = { userId: user?._id ?? null, origin };
    const device = await devices.find(knownDevice);
    const isKnown = device !== null && device.userId === user?._id;
    const key = isKnown ? throttleKeys.device(device) : throttleKeys.typed(typed);

    // Signing in to a deleted account restores it (`accountSessions.open`), as long as that is possible.
    const usable = user !== null && (user.status !== "deleted" || deletion.isUndoable(user)) ? user : null;
    // Always checked, so that the answer takes as long for an unknown name.
    const check = () => passwords.matches(usable?.passwordHash ?? null, password);
    const matches = await throttle.attempt(key, check).catch((err: unknown) => {
      throw notingThrottle(err, (waited) => audit("sign_in.throttled", by, waited));
    });
    if (!matches || !usable) {
      audit("sign_in.refused", by, { reason: reasonOf(user) });
      throw new ServiceError("invalid_credentials");
    }
    const how = { known: isKnown ? device : null, viaCookie, linkId: null };
    return signInSteps.afterFirstFactor(usable, how, origin).catch((err: unknown) => {
      // The account has been erased, or got a second factor, since it was read.
      if (err instanceof ServiceError && err.code === "invalid_token")
        throw new ServiceError("invalid_credentials");
      throw err;
    });
  };
}
