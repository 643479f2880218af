import type { ClientSession } from "mongodb";
import type { Actor, Origin } from "../../base/audit.ts";
import type { JsonWebKeySet } from "../../contract/wire.ts";
import type { OauthIdentityDoc } from "../../store/mongo/accounts/oauth-identities.ts";
import type { SessionDoc } from "../../store/mongo/accounts/sessions.ts";
import type { UserDoc } from "../../store/mongo/accounts/users.ts";
import type { Directory } from "./profile/directory.ts";
import type { ProfileChange } from "./profile/profile-changes.ts";
import type { Renamed } from "./profile/renames.ts";
import type { OpenedSession, SecondFactorPending } from "./sessions/opened-session.ts";
import type { AccountAccess } from "./sign-in/account-access.ts";
import type { Login } from "./sign-in/login.ts";
import type { PasswordChange } from "./sign-in/password-changes.ts";
import type { SignInSteps } from "./sign-in/sign-in-steps.ts";
import type { AccountBanning } from "./staff/account-bans.ts";
import type { ApiTokens } from "./tokens/api-tokens.ts";
import type { Appellant } from "./tokens/appeal-tokens.ts";
import type { SignedIn, Viewer } from "./tokens/caller.ts";
import type { CheckedTickets } from "./tokens/checked-tickets.ts";
import type { CookieSessions, PresentedCookies } from "./tokens/cookie-sessions.ts";
import type { Revoked } from "./tokens/revocations.ts";
import type { VerifiedSessions } from "./tokens/verified-sessions.ts";
import type { Owner } from "./two-factor/reauthentication.ts";
import type { StepUp } from "./two-factor/step-up.ts";
import type { TwoFactor } from "./two-factor/two-factor.ts";

export type Identity = Directory &
  AccountBanning &
  CheckedTickets & {
    /** Throws username_taken, email_taken, validation_failed. */
    register(
      input: { username: string; email: string; password: string },
      origin: Origin,
    ): Promise<OpenedSession>;
    login: Login;
    /** Case-insensitive; finds unverified addresses too. */
    findByAddress(email: string): Promise<UserDoc | null>;
    /** Checks the given document. Throws account_banned with an appeal token, so call it only for the proven owner. */
    requireNotBanned(user: UserDoc, origin: Origin): Promise<void>;
    /**
     * Signs in the user of that link, whom the provider has confirmed. Throws account_banned, and invalid_token when the account
     * is gone or the link has been removed meanwhile.
     */
    signInProven(
      link: Pick<OauthIdentityDoc, "_id" | "userId">,
      on: { knownDevice: string | null; viaCookie: boolean },
      origin: Origin,
    ): Promise<OpenedSession | SecondFactorPending>;
    /** Creates an account without a password; `alsoWrite` stores its link in the same transaction. Throws like `register`. */
    registerProven(
      input: { username: string; email: string; isEmailVerified: boolean; linkId: string },
      alsoWrite: (userId: string, session: ClientSession) => Promise<void>,
      origin: Origin,
    ): Promise<OpenedSession>;
    /** Throws invalid_token for a session that has ended. */
    requireSession(sessionId: string): Promise<void>;
    takeOver: AccountAccess["takeOver"];
    takenOver: AccountAccess["takenOver"];
    /** Announces sessions ended by the commit that removed a link, and ends those the link began since, except `keep`. */
    endedWithLink(
      linkId: string,
      keep: string,
      sessionIds: string[],
      by: Actor & { userId: string },
    ): Promise<void>;
    /** Finishes a login with a second factor. Throws invalid_token, invalid_code, rate_limited, account_banned. */
    finishLogin: SignInSteps["finish"];
    twoFactor: TwoFactor;
    stepUp: StepUp["stepUp"];
    /** Throws step_up_required unless the caller has recently proved to be the owner of the account. */
    requireFresh(caller: SignedIn): Promise<void>;
    /** The caller's account, for acts that require a proof. Throws invalid_token. */
    ownerOf(caller: SignedIn, origin: Origin): Promise<Owner>;
    /** Throws invalid_token, account_banned. */
    refresh(refreshToken: string, origin: Origin): Promise<OpenedSession>;
    /** The same by the cookie that counts (`cookie-sessions.ts`). */
    refreshByCookie(sent: PresentedCookies, origin: Origin): Promise<OpenedSession>;
    /** The device token that counts among the cookies; null for none. */
    deviceIn: CookieSessions["deviceIn"];
    /** Whether the browser is still in that session, as far as it shows one. */
    isBrowserOf: CookieSessions["isOf"];
    /** Verifies an address by the token that was mailed to it. Throws invalid_token, email_taken. */
    verifyEmail(token: string, origin: Origin): Promise<void>;
    /** Throws rate_limited. */
    resendVerification(caller: SignedIn): Promise<void>;
    /** Throws invalid_token. */
    undoEmailChange(token: string, origin: Origin): Promise<void>;
    /** By the token that was mailed when the second factor was enabled. Throws invalid_token. */
    undoTwoFactor(token: string, origin: Origin): Promise<void>;
    /** Does the same for every address, known or not; `sweepPasswordResets` mails the links. */
    forgotPassword(email: string): Promise<void>;
    /** Throws invalid_token, validation_failed. */
    resetPassword(token: string, password: string, origin: Origin): Promise<void>;
    sweepPasswordResets(isSure?: () => boolean): Promise<void>;
    logout(caller: SignedIn, origin: Origin): Promise<void>;

    /**
     * By an access token, or by a personal API token where that is accepted (a bearer, X-API-Key). Throws invalid_token, or
     * account_banned when a ban ended the session. A session that the database doesn't have is invalid: each worker reads it at most
     * once a minute. While the database is unavailable it throws unavailable, unless `withoutDatabase` is set: then it relies on
     * what workers and Redis know of ended sessions.
     */
    authenticate(
      credential: string,
      via: SignedIn["via"],
      options?: { withoutDatabase?: boolean },
    ): Promise<SignedIn>;
    /** The same by the cookie that counts (`cookie-sessions.ts`). */
    authenticateByCookie(sent: PresentedCookies, options?: { withoutDatabase?: boolean }): Promise<SignedIn>;
    /** The public keys as a JWK set. */
    jwks(): JsonWebKeySet;

    me(caller: SignedIn): Promise<UserDoc>;
    updateMe(caller: SignedIn, change: ProfileChange, origin: Origin): Promise<UserDoc>;

    /** Ends every other session. Throws invalid_credentials, validation_failed, rate_limited, invalid_state. */
    changePassword(caller: SignedIn, change: PasswordChange, origin: Origin): Promise<void>;
    /** Ends every session; signing in within 30 days undoes it. Throws invalid_credentials, rate_limited. */
    deleteAccount(caller: SignedIn, password: string | undefined, origin: Origin): Promise<void>;
    apiTokens: Pick<ApiTokens, "create" | "createForEmbed" | "page" | "remove">;

    sessions(userId: string): Promise<SessionDoc[]>;
    /** Flushes the sessions' last-seen times, which otherwise are written after some seconds; never rejects. */
    writeLastSeen(): Promise<void>;
    /** Throws not_found unless the session is the caller's. */
    endSession(caller: SignedIn, sessionId: string, origin: Origin): Promise<void>;
    /** Ends all of the caller's sessions except the current one. */
    endOtherSessions(caller: SignedIn, origin: Origin, also?: { endsTokens: boolean }): Promise<void>;

    /** Ends sessions that began concurrently with a ban, and announces again all that the ban ended. */
    endBanned(userId: string, by: Actor): Promise<void>;
    /** Who may appeal with that token, and against which ban; null for an invalid token. */
    appellantOf(token: string): Appellant | null;
    /** Whether the account may act as staff. Requires a second factor, so that each of its sessions has passed it. */
    isStaff(userId: string): Promise<boolean>;
    /** Whether a viewer is shown what only staff are: in a session. By a personal token they see what anybody sees. */
    seesAsStaff(viewer: Viewer): Promise<boolean>;
    /** Throws forbidden for everybody else, two_factor_required for staff in a session without a second factor. */
    requireStaff(caller: SignedIn): Promise<void>;
    /** From memory; may be some seconds old. */
    isKnownStaff(userId: string): boolean;
    onStaffChanged(handler: (userId: string) => void): () => void;
    setStaff(username: string, isStaff: boolean, by: Actor): Promise<void>;

    /** Calls the handler for each session that ends anywhere in the cluster; returns a function that unsubscribes. */
    onRevoked(handler: (revoked: Revoked) => void): () => void;
    /**
     * Those whose session or account the database doesn't have, or has ended; reads those that this worker hasn't verified within
     * the last minute, less `aheadMs`. Rejects while the database is unavailable.
     */
    refusedOf: VerifiedSessions["refusedOf"];
    /** Whether that session has ended, as far as this worker knows; it learns of endings within a second. */
    isRevoked(sessionId: string): boolean;
    /** Takes in an ending reported by another worker, and passes it to the handlers. */
    noteRevoked(revoked: Revoked): void;

    /** Calls the handler for each rename in the cluster, within some seconds; returns a function that unsubscribes. */
    onRenamed(handler: (renamed: Renamed) => void): () => void;
    /** The user's name if it changed recently, else null. */
    newNameOf(userId: string): string | null;

    /** Loads the signing keys, prepares password checks and starts polling for revocations. */
    start(): Promise<void>;
    stop(): Promise<void>;
  };
