import type { ClientSession } from "mongodb";
import type { Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { OauthIdentityDoc } from "../../../store/mongo/accounts/oauth-identities.ts";
import type { PasskeyDoc } from "../../../store/mongo/accounts/passkeys.ts";
import type { PendingSignIns } from "../../../store/mongo/accounts/pending-sign-ins.ts";
import type { UserDoc, Users } from "../../../store/mongo/accounts/users.ts";
import type { Mails } from "../../mail/mails.ts";
import type { LoginThrottle } from "../passwords/login-throttle.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { Addresses } from "../profile/email-addresses.ts";
import type { AccountSessions } from "../sessions/account-sessions.ts";
import type { Devices } from "../sessions/devices.ts";
import type { OpenedSession, SecondFactorPending } from "../sessions/opened-session.ts";
import type { AccountDeletion } from "../standing/account-deletion.ts";
import type { BanRefusals } from "../standing/ban-refusals.ts";
import type { Bindings } from "../tokens/bindings.ts";
import type { SecondFactor } from "../two-factor/second-factor.ts";
import { createLogin, type Login } from "./login.ts";
import type { Made, OwnAccounts } from "./own-accounts.ts";
import { createSignInSteps, type SignInSteps } from "./sign-in-steps.ts";
import type { SignUp } from "./sign-up.ts";
import { createSignUpCheck, type SignUpCheck } from "./sign-up-check.ts";

/** The ways into an account: registration and sign-in, by a password or by a provider that confirmed the user. */
export type SignIn = {
  /**
   * Throws username_taken, email_taken, validation_failed; where not everybody may sign up, sign_up_closed, invitation_required,
   * invitation_invalid.
   */
  register(
    input: { username: string; email: string; password: string; invitation?: string | undefined },
    origin: Origin,
  ): Promise<OpenedSession>;
  /** What `register` would say of a name and a password, which nobody keeps. */
  check: SignUpCheck;
  /** Throws sign_up_closed where no newcomer is let in. */
  requireSignUpOpen(): void;
  login: Login;
  /** Finishes a login with a second factor. Throws invalid_token, invalid_code, rate_limited, account_banned. */
  finishLogin: SignInSteps["finish"];
  /**
   * Signs in the user of that link, whom the provider has confirmed. Throws account_banned, and invalid_token when the account
   * is gone or the link has been removed meanwhile.
   */
  signInProven(
    link: Pick<OauthIdentityDoc, "_id" | "userId">,
    on: { knownDevice: string | null; viaCookie: boolean },
    origin: Origin,
  ): Promise<OpenedSession | SecondFactorPending>;
  /** Signs in the user of that passkey, who has used it just now. Throws account_banned, and invalid_token like `signInProven`. */
  signInWithPasskey(
    passkey: Pick<PasskeyDoc, "_id" | "userId">,
    knownDevice: string | null,
    origin: Origin,
  ): Promise<OpenedSession>;
  /** Creates an account without a password; `alsoWrite` stores its link in the same transaction. Throws like `register`. */
  registerProven(
    input: {
      username: string;
      email: string;
      isEmailVerified: boolean;
      linkId: string;
      invitation?: string | undefined;
    },
    alsoWrite: (userId: string, session: ClientSession) => Promise<void>,
    origin: Origin,
  ): Promise<OpenedSession>;
  /** Case-insensitive; finds unverified addresses too. */
  findByAddress(email: string): Promise<UserDoc | null>;
  /** Checks the given document. Throws account_banned with an appeal token, so call it only for the proven owner. */
  requireNotBanned(user: UserDoc, origin: Origin): Promise<void>;
};

type Deps = {
  users: Pick<Users, "find" | "findByEmail" | "isNameTaken">;
  signUp: Pick<SignUp, "requireOpen">;
  ownAccounts: OwnAccounts;
  addresses: Pick<Addresses, "verification">;
  accountSessions: AccountSessions;
  devices: Devices;
  bindings: Bindings;
  pendingSignIns: PendingSignIns;
  secondFactor: SecondFactor;
  deletion: Pick<AccountDeletion, "isUndoable">;
  banRefusals: BanRefusals;
  passwords: Passwords;
  throttle: LoginThrottle;
  mails: Pick<Mails, "request">;
  audit: Audit;
  clock: Clock;
};

export function createSignIn(deps: Deps): SignIn {
  const { users, ownAccounts, addresses, accountSessions, devices, deletion, banRefusals, audit } = deps;
  const signInSteps = createSignInSteps(deps);

  function noteRegistered({ user, invitationId }: Made, origin: Origin): void {
    const by = { userId: user._id, origin };
    audit("registered", by, {});
    if (invitationId !== null) audit("invitation.used", by, { invitationId });
  }

  /** The account of a credential, also a deleted one that a sign-in restores, and the device if it is one of its own. */
  async function reachable(userId: string, knownDevice: string | null, origin: Origin) {
    const user = await users.find(userId);
    if (!user || (user.status === "deleted" && !deletion.isUndoable(user))) {
      audit("sign_in.refused", { userId, origin }, { reason: "account_deleted" });
      throw new ServiceError("invalid_token");
    }
    const device = await devices.find(knownDevice);
    return { user, known: device?.userId === userId ? device : null };
  }

  return {
    async register(input, origin) {
      const made = await ownAccounts.create(input, addresses.verification);
      noteRegistered(made, origin);
      const { user } = made;
      const { passwordHash } = user;
      return accountSessions.open(user._id, origin, { passwordHash, linkId: null, secondFactor: false });
    },
    check: createSignUpCheck(deps),
    requireSignUpOpen: deps.signUp.requireOpen,
    login: createLogin({ ...deps, signInSteps }),
    finishLogin: signInSteps.finish,
    async signInProven({ _id: linkId, userId }, { knownDevice, viaCookie }, origin) {
      const { user, known } = await reachable(userId, knownDevice, origin);
      return signInSteps.afterFirstFactor(user, { known, viaCookie, linkId }, origin);
    },
    async signInWithPasskey({ _id: passkeyId, userId }, knownDevice, origin) {
      const { user, known } = await reachable(userId, knownDevice, origin);
      return signInSteps.withBothFactors(user, { known, passkeyId }, origin);
    },
    async registerProven({ linkId, ...input }, alsoWrite, origin) {
      const made = await ownAccounts.createProven(input, (user) => {
        const verify = user.emailVerifiedAt ? null : addresses.verification(user);
        return async (session) => {
          await alsoWrite(user._id, session);
          await verify?.(session);
        };
      });
      noteRegistered(made, origin);
      const { user } = made;
      return accountSessions.open(user._id, origin, { passwordHash: null, linkId, secondFactor: false });
    },
    findByAddress: (email) => users.findByEmail(email.toLowerCase()),
    requireNotBanned: banRefusals.requireNotBanned,
  };
}
