import type { ClientSession } from "mongodb";
import type { JsonWebKeySet } from "../../specs/contract/wire.ts";
import type { Actor, Origin } from "../../store/audit.ts";
import type { AccountBanDoc } from "../../store/mongo/account-bans.ts";
import type { OauthIdentityDoc } from "../../store/mongo/oauth-identities.ts";
import type { SessionDoc } from "../../store/mongo/sessions.ts";
import type { PublicUserDoc, UserDoc } from "../../store/mongo/users.ts";
import type { Banned } from "./account-standing.ts";
import type { ApiTokens } from "./api-tokens/api-tokens.ts";
import type { Appellant } from "./appeal-tokens.ts";
import type { SignedIn } from "./caller.ts";
import type { ProfileChange } from "./profile-changes.ts";
import type { Owner } from "./reauthentication.ts";
import type { Renamed } from "./renames.ts";
import type { Revoked } from "./revocations.ts";
import type { SecondFactorPending, SignIn } from "./sign-in.ts";
import type { SignInSteps } from "./sign-in-steps.ts";
import type { StepUp } from "./step-up.ts";
import type { TicketHolder } from "./tickets.ts";
import type { TwoFactor } from "./two-factor.ts";

export type Identity = {
  /** Throws username_taken, email_taken, validation_failed. */
  register(input: { username: string; email: string; password: string }, origin: Origin): Promise<SignIn>;
  /**
   * Throws invalid_credentials, account_banned, rate_limited. `knownDevice` is what the client kept of its last
   * sign-in, `<id>.<secret>`, whether or not we know it. In cookie mode (`viaCookie`) what lacks a second factor can
   * only be finished with the device's cookie.
   */
  login(
    input: { login: string; password: string; knownDevice: string | null; viaCookie?: boolean },
    origin: Origin,
  ): Promise<SignIn | SecondFactorPending>;
  /** In any casing; whether or not it is verified. */
  findByAddress(email: string): Promise<UserDoc | null>;
  /** By the document that was read. Throws account_banned with an appeal token: for its proven owner alone. */
  requireNotBanned(user: UserDoc, origin: Origin): Promise<void>;
  /**
   * Signs in whoever a provider has confirmed to be the one of that link. Throws account_banned, and invalid_token for an
   * account that is gone, and when the link has gone meanwhile.
   */
  signInProven(
    link: Pick<OauthIdentityDoc, "_id" | "userId">,
    on: { knownDevice: string | null; viaCookie: boolean },
    origin: Origin,
  ): Promise<SignIn | SecondFactorPending>;
  /** A new account without a password; `alsoWrite` writes its link, in its transaction. Throws as `register`. */
  registerProven(
    input: { username: string; email: string; isEmailVerified: boolean; linkId: string },
    alsoWrite: (userId: string, session: ClientSession) => Promise<void>,
    origin: Origin,
  ): Promise<SignIn>;
  /** Throws invalid_token for a session that has ended. */
  requireSession(sessionId: string): Promise<void>;
  /** Announces those sessions, ended in the commit that ended a link, and ends what that link has begun since but `keep`. */
  endedWithLink(
    linkId: string,
    keep: string,
    sessionIds: string[],
    by: Actor & { userId: string },
  ): Promise<void>;
  /** Of what a login began. Throws invalid_token, invalid_code, rate_limited, account_banned. */
  finishLogin: SignInSteps["finish"];
  twoFactor: TwoFactor;
  stepUp: StepUp["stepUp"];
  /** Throws step_up_required unless the caller has lately proved to be the owner of the account. */
  requireFresh(caller: SignedIn): Promise<void>;
  /** The account of a caller, for acts that ask for a proof. Throws invalid_token. */
  ownerOf(caller: SignedIn, origin: Origin): Promise<Owner>;
  /** Throws invalid_token, account_banned. */
  refresh(refreshToken: string, origin: Origin): Promise<SignIn>;
  /** Proves an address by the token that was mailed to it. Throws invalid_token, email_taken. */
  verifyEmail(token: string, origin: Origin): Promise<void>;
  /** Throws rate_limited. */
  resendVerification(caller: SignedIn): Promise<void>;
  /** Throws invalid_token. */
  undoEmailChange(token: string, origin: Origin): Promise<void>;
  /** By the token that was mailed when it came in force. Throws invalid_token. */
  undoTwoFactor(token: string, origin: Origin): Promise<void>;
  /** The same for every address; `sweepPasswordResets` mails the links. */
  forgotPassword(email: string): Promise<void>;
  /** Throws invalid_token, validation_failed. */
  resetPassword(token: string, password: string, origin: Origin): Promise<void>;
  sweepPasswordResets(isSure?: () => boolean): Promise<void>;
  logout(caller: SignedIn, origin: Origin): Promise<void>;

  /**
   * By an access token, or by a personal API token where that may come (a bearer, X-API-Key). Throws invalid_token, or
   * account_banned when the session ended by a ban. While the database is unavailable it throws
   * unavailable, or goes by what workers and Redis know of ended sessions, with `withoutDatabase`.
   */
  authenticate(
    credential: string,
    via: SignedIn["via"],
    options?: { withoutDatabase?: boolean },
  ): Promise<SignedIn>;
  /** The public keys as a JWK set. */
  jwks(): JsonWebKeySet;

  issueTicket(caller: SignedIn): Promise<{ ticket: string; expiresInSeconds: number }>;
  /** Null when unknown, used or expired, or when its session has ended; it stays good. Throws unavailable. */
  holderOfTicket(ticket: string): Promise<TicketHolder | null>;
  /** The same for one of several requests, as far as this worker knows of the session. Throws unavailable. */
  redeemTicket(ticket: string): Promise<TicketHolder | null>;

  me(caller: SignedIn): Promise<UserDoc>;
  updateMe(caller: SignedIn, change: ProfileChange, origin: Origin): Promise<UserDoc>;

  /** Ends every other session. Throws invalid_credentials, validation_failed, rate_limited, invalid_state. */
  changePassword(caller: SignedIn, change: { current: string; next: string }, origin: Origin): Promise<void>;
  /** Ends every session; signing in within 30 days undoes it. Throws invalid_credentials, rate_limited. */
  deleteAccount(caller: SignedIn, password: string | undefined, origin: Origin): Promise<void>;
  apiTokens: Pick<ApiTokens, "create" | "createForSite" | "page" | "remove">;

  sessions(userId: string): Promise<SessionDoc[]>;
  /** Writes now when sessions were seen, which otherwise takes some seconds; never rejects. */
  writeLastSeen(): Promise<void>;
  /** Throws not_found unless the session is the caller's. */
  endSession(caller: SignedIn, sessionId: string, origin: Origin): Promise<void>;
  /** Ends all of the caller's sessions but the present one. */
  endOtherSessions(caller: SignedIn, origin: Origin): Promise<void>;

  /**
   * Takes the account out of service, ends all its sessions and announces that; twice is once. Throws `not_found`, and
   * `forbidden` for staff. What else a ban ends is done by sanctions.
   */
  ban(userId: string, by: Actor, reason?: string): Promise<AccountBanDoc>;
  /** Notes and announces a ban that was committed with something else, without the database; never rejects. */
  banned(banned: Banned, by: Actor): Promise<void>;
  /** Ends what was begun beside a ban, and announces all that it has ended once more. */
  endBanned(userId: string, by: Actor): Promise<void>;
  /** Who may appeal with that token, and against which ban; null for none. */
  appellantOf(token: string): Appellant | null;
  unban(userId: string, by: Actor): Promise<void>;
  /** Whether that account may act as staff: it takes two factors, so that each of its sessions has had them. */
  isStaff(userId: string): Promise<boolean>;
  /** Throws forbidden for everybody else, two_factor_required for staff in a session without a second factor. */
  requireStaff(caller: SignedIn): Promise<void>;
  /** As of some seconds ago, from memory. */
  isKnownStaff(userId: string): boolean;
  onStaffChanged(handler: (userId: string) => void): () => void;
  setStaff(username: string, isStaff: boolean, by: Actor): Promise<void>;

  findUser(userId: string): Promise<PublicUserDoc | null>;
  requireUser(userId: string): Promise<PublicUserDoc>;
  requireByUsername(username: string): Promise<PublicUserDoc>;
  usersByIds(userIds: string[]): Promise<Map<string, PublicUserDoc>>;
  /** Those that there are, in the order of the ids. */
  usersInOrder(userIds: string[]): Promise<PublicUserDoc[]>;

  /** Hands over each session that ends, wherever in the cluster it was ended; returns how to stop. */
  onRevoked(handler: (revoked: Revoked) => void): () => void;
  /** True when that session has ended as far as this worker knows, at most a second ago. */
  isRevoked(sessionId: string): boolean;
  /** What another worker says has ended: from now on that is known here, and handed over. */
  noteRevoked(revoked: Revoked): void;

  /** Hands over each change of a name, wherever it was made, within some seconds; returns how to stop. */
  onRenamed(handler: (renamed: Renamed) => void): () => void;
  /** The user's name when that changed lately, else null. */
  newNameOf(userId: string): string | null;

  /** Loads the signing keys, gets passwords ready and begins to follow revocations. */
  start(): Promise<void>;
  stop(): Promise<void>;
};
