import { ServiceError } from "../../specs/contract/errors.ts";
import type { Actor, Audit } from "../../store/audit.ts";
import type { UserDoc } from "../../store/mongo/users.ts";
import type { AccountDeletion } from "./account-deletion.ts";
import type { Accounts } from "./accounts.ts";
import type { Devices } from "./devices.ts";
import type { Identity } from "./identity-types.ts";
import { type LoginThrottle, noted, throttleKeys } from "./login-throttle.ts";
import type { Passwords } from "./passwords.ts";
import type { SignInSteps } from "./sign-in-steps.ts";

type Deps = {
  accounts: Accounts;
  devices: Devices;
  deletion: Pick<AccountDeletion, "isUndoable">;
  throttle: LoginThrottle;
  passwords: Passwords;
  signInSteps: Pick<SignInSteps, "afterFirstFactor">;
  audit: Audit;
};

/**
 * Signing in (decision 0012). Whether there is an account shows in nothing that a stranger sees: the same steps, the
 * same counts and the same answers for each name, until the password is right.
 */
export function createLogin(deps: Deps): Identity["login"] {
  const { accounts, devices, deletion, throttle, passwords, signInSteps, audit } = deps;

  /** Tells an unknown name from a deleted account, for the audit log alone. */
  function reasonOf(user: UserDoc | null): string {
    if (user === null) return "unknown_account";
    return user.status === "deleted" ? "account_deleted" : "wrong_password";
  }

  return async ({ login, password, knownDevice, viaCookie = false }, origin) => {
    const typed = login.toLowerCase();
    const user = await accounts.findByLogin(typed);
    const by: Actor = { userId: user?._id ?? null, origin };
    const device = await devices.find(knownDevice);
    const isKnown = device !== null && device.userId === user?._id;
    const key = isKnown ? throttleKeys.device(device) : throttleKeys.typed(typed);

    // Signing in to a deleted account undoes that (`signIns.open`), as long as it can be.
    const usable = user !== null && (user.status !== "deleted" || deletion.isUndoable(user)) ? user : null;
    // Checked in every case, so that the answer takes as long for a name that nobody has.
    const check = () => passwords.matches(usable?.passwordHash ?? null, password);
    const matches = await throttle.attempt(key, check).catch((err: unknown) => {
      throw noted(err, (waited) => audit("sign_in.throttled", by, waited));
    });
    if (!matches || !usable) {
      audit("sign_in.refused", by, { reason: reasonOf(user) });
      throw new ServiceError("invalid_credentials");
    }
    const how = { known: isKnown ? device : null, viaCookie, linkId: null };
    return signInSteps.afterFirstFactor(usable, how, origin).catch((err: unknown) => {
      // The account was erased, or got a second factor, since it was looked at.
      if (err instanceof ServiceError && err.code === "invalid_token")
        throw new ServiceError("invalid_credentials");
      throw err;
    });
  };
}
