import { type Answer, errorOf } from "./answer.ts";
import { envelopeIn, LivecoreError, UnexpectedAnswerError } from "./errors.ts";

export type Tokens = { accessToken: string; refreshToken: string };

/** Refusals after which there is no session; any other may pass. */
const ENDING: readonly string[] = ["invalid_token", "auth_required", "account_banned"];

/** Whether who was refused isn't let in later either: a token that has ended, an account that is banned. */
export const isEnding = (err: unknown): boolean => err instanceof LivecoreError && ENDING.includes(err.code);

/** Of a sign-in's body; null when it lacks one of them. */
export function tokensIn(body: unknown): Tokens | null {
  if (typeof body !== "object" || body === null) return null;
  const access = "access_token" in body ? body.access_token : null;
  const refresh = "refresh_token" in body ? body.refresh_token : null;
  return typeof access === "string" && typeof refresh === "string"
    ? { accessToken: access, refreshToken: refresh }
    : null;
}

/** A sign-in that isn't finished: there are no tokens yet. */
export const isPending = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "requires_2fa" in body && body.requires_2fa === true;

/** The refresh token of a refresh that somebody sends themselves. */
export const refreshTokenIn = (body: unknown): unknown =>
  typeof body === "object" && body !== null && "refresh_token" in body ? body.refresh_token : undefined;

/** Whether a refused refresh says that there is no session any more; throws a refusal that doesn't. */
export function hasEnded(answer: Answer): boolean {
  const envelope = envelopeIn(answer.body);
  if (envelope !== null && ENDING.includes(envelope.code)) return true;
  const mayPass = envelope !== null || answer.status === 429 || answer.status >= 500;
  throw mayPass ? errorOf(answer) : new UnexpectedAnswerError(answer.status);
}
