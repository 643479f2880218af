import type { UserDoc } from "../../store/mongo/users.ts";

/** What opens a session; it is compared with the account once more when the session is written. */
export type Shown = {
  /** Of the account when the proof was made; null: it had none. */
  passwordHash: string | null;
  /** The link with the provider whose word it was; null for none. */
  linkId: string | null;
  secondFactor: boolean;
};

/** What a successful sign-in or refresh gives out; the HTTP layer decides between body and cookies. */
export type SignIn = {
  user: UserDoc;
  sessionId: string;
  /** What the client keeps of its device: `<id>.<secret>`. Never to be logged. */
  deviceId: string;
  accessToken: string;
  /** Seconds. */
  accessExpiresIn: number;
  refreshToken: string;
  /** Seconds until the session ends when it isn't used again. */
  refreshExpiresIn: number;
};

/** The password was right, and there is no session yet. `deviceId` as above; the token is good for five minutes on that device. */
export type SecondFactorPending = { twoFactorToken: string; deviceId: string };
