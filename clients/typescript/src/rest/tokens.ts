import { type Answer, errorOf } from "./answer.ts";
import { envelopeIn, LivecoreError, UnexpectedAnswerError } from "./errors.ts";

export type Tokens = { accessToken: string; refreshToken: string };

/** Refusals that end the session; any other may be transient. */
const ENDING: readonly string[] = ["invalid_token", "auth_required", "account_banned"];

/** Whether the refusal is permanent: the token has ended or the account is banned. */
export const isPermanentRefusal = (err: unknown): boolean =>
  err instanceof LivecoreError && ENDING.includes(err.code);

/** The tokens in a sign-in's body; null when one of them is missing. */
export function tokensIn(body: unknown): Tokens | null {
  if (typeof body !== "object" || body === null) return null;
  const access = "access_token" in body ? body.access_token : null;
  const refresh = "refresh_token" in body ? body.refresh_token : null;
  return typeof access === "string" && typeof refresh === "string"
    ? { accessToken: access, refreshToken: refresh }
    : null;
}

/** Whom a sign-in or a refresh has signed in; null when the body doesn't name anybody. */
export function userIdIn(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("user" in body)) return null;
  const { user } = body;
  const id = typeof user === "object" && user !== null && "id" in user ? user.id : null;
  return typeof id === "string" ? id : null;
}

/** A sign-in that still needs the second factor: there are no tokens yet. */
export const needsSecondFactor = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "requires_2fa" in body && body.requires_2fa === true;

/** The refresh token in the body of a `refresh` that the application calls itself. */
export const refreshTokenIn = (body: unknown): unknown =>
  typeof body === "object" && body !== null && "refresh_token" in body ? body.refresh_token : undefined;

/** Whether a refused refresh means that the session has ended; throws a refusal that doesn't. */
export function isSessionEnd(answer: Answer): boolean {
  const envelope = envelopeIn(answer.body);
  if (envelope !== null && ENDING.includes(envelope.code)) return true;
  const mayPass = envelope !== null || answer.status === 429 || answer.status >= 500;
  throw mayPass ? errorOf(answer) : new UnexpectedAnswerError(answer.status);
}
