import type { SessionDoc } from "../../store/mongo/sessions.ts";
import type { PublicUserDoc, UserDoc } from "../../store/mongo/users.ts";
import type { SignedIn } from "./caller.ts";

/** Where a sign-in comes from; kept with the session for its owner to see. */
export type Origin = { ip: string; userAgent: string | null };

/** What a successful sign-in or refresh gives out; the HTTP layer decides between body and cookies. */
export type SignIn = {
  user: UserDoc;
  deviceId: string;
  accessToken: string;
  /** Seconds. */
  accessExpiresIn: number;
  refreshToken: string;
  /** Seconds until the session ends when it isn't used again. */
  refreshExpiresIn: number;
};

export type TicketHolder = { userId: string; username: string; sessionId: string; viaCookie: boolean };

/** A session that has just ended. */
export type Revoked = { userId: string; sessionId: string; reason: "ended" | "banned" };

/** The public part of a signing key, as RFC 7517 and 8037 write it. */
export type PublishedKey = { kty: string; crv: string; alg: string; use: string; kid: string; x: string };

export type Identity = {
  /** Throws username_taken, email_taken, validation_failed. */
  register(input: { username: string; email: string; password: string }, origin: Origin): Promise<SignIn>;
  /** Throws invalid_credentials, account_banned, rate_limited. `knownDevice` is the lc_device_id cookie. */
  login(
    input: { login: string; password: string; knownDevice: string | null },
    origin: Origin,
  ): Promise<SignIn>;
  /** Throws invalid_token, account_banned. */
  refresh(refreshToken: string, origin: Origin): Promise<SignIn>;
  logout(caller: SignedIn): Promise<void>;

  /** Throws invalid_token, or account_banned when the session ended by a ban. */
  authenticate(accessToken: string, via: "bearer" | "cookie"): Promise<SignedIn>;
  /** The public keys as a JWK set. */
  jwks(): { keys: PublishedKey[] };

  issueTicket(caller: SignedIn): Promise<{ ticket: string; expiresInSeconds: number }>;
  /** Null when unknown, used or expired, or when its session has ended. */
  redeemTicket(ticket: string): Promise<TicketHolder | null>;

  me(caller: SignedIn): Promise<UserDoc>;
  updateMe(caller: SignedIn, change: ProfileChange): Promise<UserDoc>;

  sessions(userId: string): Promise<SessionDoc[]>;
  /** Throws not_found unless the session is the caller's. */
  endSession(caller: SignedIn, sessionId: string): Promise<void>;
  /** Ends all of the caller's sessions but the one that asks. */
  endOtherSessions(caller: SignedIn): Promise<void>;

  /** Takes the account out of service and ends all its sessions; twice is once. */
  ban(userId: string): Promise<void>;
  unban(userId: string): Promise<void>;
  isStaff(userId: string): Promise<boolean>;
  setStaff(username: string, isStaff: boolean): Promise<void>;

  findUser(userId: string): Promise<PublicUserDoc | null>;
  requireUser(userId: string): Promise<PublicUserDoc>;
  requireByUsername(username: string): Promise<PublicUserDoc>;
  usersByIds(userIds: string[]): Promise<Map<string, PublicUserDoc>>;

  /** Hands over each session that ends, wherever in the cluster it was ended; returns how to stop. */
  onRevoked(handler: (revoked: Revoked) => void): () => void;
  /** True when that session has ended as far as this worker knows, at most a second ago. */
  isRevoked(sessionId: string): boolean;

  /** Loads the signing keys and begins to follow revocations. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** Fields that are absent stay as they are; null empties those that may be empty. */
export type ProfileChange = {
  username?: string;
  usernameTitle?: string;
  email?: string;
  /** Proves a change of e-mail. */
  password?: string;
  bio?: string | null;
  socialLinks?: UserDoc["socialLinks"];
  imageUrl?: string | null;
  bannerUrl?: string | null;
};
