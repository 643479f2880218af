import type { UserDoc } from "../../../store/mongo/accounts/users.ts";

/** The proof that opens a session. It is compared with the account again after the session is written. */
export type SignInProof = {
  /** The account's password hash at the time of the proof; null: it had no password. */
  passwordHash: string | null;
  /** The link with the provider that confirmed the user; null for none. */
  linkId: string | null;
  /** The passkey that the user signed in with; absent: none. */
  passkeyId?: string;
  secondFactor: boolean;
};

/** The result of a successful sign-in or refresh; the HTTP layer decides between body and cookies. */
export type OpenedSession = {
  user: UserDoc;
  sessionId: string;
  /** The device token that the client stores: `<id>.<secret>`. Never log it. */
  deviceId: string;
  accessToken: string;
  /** Seconds. */
  accessExpiresIn: number;
  refreshToken: string;
  /** The session's binding, for browsers. Never log it. */
  binding: string;
  /** Seconds until the session expires if it isn't used again. */
  refreshExpiresIn: number;
  /** Of a sign-in: whether it undid the account's deletion. */
  isRestored?: boolean;
};

/**
 * The first factor was right; there is no session yet. `deviceId` as above; the token is valid on that device for
 * `expiresIn` seconds, in a browser only with the binding.
 */
export type SecondFactorPending = {
  twoFactorToken: string;
  deviceId: string;
  binding: string;
  expiresIn: number;
};
