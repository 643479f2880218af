import { randomBytes, timingSafeEqual } from "node:crypto";
import speakeasy from "speakeasy";

/** The parameters that every authenticator app supports (RFC 6238): SHA-1, six digits, 30 seconds. */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** 160 bits: the full length that the algorithm uses. */
const SECRET_BYTES = 20;
/** Accepted steps before and after the current one: phones' clocks are off, and people type slowly. */
const WINDOW = 1;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * Time-based one-time codes. Only this module uses the library, and only to compute a code; secrets, the window and the
 * comparison are ours.
 */
const codeOf = (secret: string, step: number): string =>
  speakeasy.hotp({ secret, encoding: "base32", counter: step, digits: DIGITS });

const stepAt = (ms: number): number => Math.floor(ms / 1_000 / STEP_SECONDS);

/** The code that an authenticator with that secret shows at that time (Unix ms). */
export const codeAt = (secret: string, ms: number): string => codeOf(secret, stepAt(ms));

/** A secret in base32, as authenticators expect it. 160 bits are 32 characters without padding. */
export function newSecret(): string {
  const bits = [...randomBytes(SECRET_BYTES)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]).join("");
}

/** The time step of that code: the current one, or one before or after it; null for a wrong code. */
export function stepOf(secret: string, code: string, ms: number): number | null {
  const now = stepAt(ms);
  let found: number | null = null;
  // Always compares all steps, so that the timing doesn't reveal which one matched.
  for (let step = now - WINDOW; step <= now + WINDOW; step++) {
    const [given, right] = [Buffer.from(code), Buffer.from(codeOf(secret, step))];
    if (given.length === right.length && timingSafeEqual(given, right)) found = step;
  }
  return found;
}

/** The URI that an authenticator scans as a QR code (Key URI format). */
export function keyUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const query = new URLSearchParams({ secret, issuer, algorithm: "SHA1" });
  return `otpauth://totp/${label}?${query}&digits=${DIGITS}&period=${STEP_SECONDS}`;
}
