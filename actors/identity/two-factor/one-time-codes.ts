import { randomBytes, timingSafeEqual } from "node:crypto";
import speakeasy from "speakeasy";

/** As every authenticator app reckons it (RFC 6238): SHA-1, six digits, half a minute. */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** 160 bits: the whole block that the algorithm takes. */
const SECRET_BYTES = 20;
/** Clocks of phones go wrong, and people type slowly. */
const WINDOW = 1;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * One-time codes by time. The only module that knows the library: it computes a code and nothing more. Secrets, the window
 * and the comparison are ours.
 */
const codeOf = (secret: string, step: number): string =>
  speakeasy.hotp({ secret, encoding: "base32", counter: step, digits: DIGITS });

const stepAt = (ms: number): number => Math.floor(ms / 1_000 / STEP_SECONDS);

/** What an authenticator with that secret shows at that time. */
export const codeAt = (secret: string, ms: number): string => codeOf(secret, stepAt(ms));

/** A secret in base32, as authenticators take it. 160 bits are 32 characters without padding. */
export function newSecret(): string {
  const bits = [...randomBytes(SECRET_BYTES)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]).join("");
}

/** The time step whose code that is, one before or after the present one included; null for a wrong code. */
export function stepOf(secret: string, code: string, ms: number): number | null {
  const now = stepAt(ms);
  let found: number | null = null;
  // All are compared in every case: the time it takes doesn't say which one it was.
  for (let step = now - WINDOW; step <= now + WINDOW; step++) {
    const [given, right] = [Buffer.from(code), Buffer.from(codeOf(secret, step))];
    if (given.length === right.length && timingSafeEqual(given, right)) found = step;
  }
  return found;
}

/** The address that an authenticator scans (Key URI format). */
export function keyUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const query = new URLSearchParams({ secret, issuer, algorithm: "SHA1" });
  return `otpauth://totp/${label}?${query}&digits=${DIGITS}&period=${STEP_SECONDS}`;
}
