import type { UserDoc } from "../../store/mongo/users.ts";

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
