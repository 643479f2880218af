import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** Lets people, and scanners for leaked secrets, recognise a token. */
export const TOKEN_PREFIX = "lc_pat_";
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_DIGITS = 32;
const CHECK_DIGITS = 6;
/** Random digits that are shown in lists; 28 stay secret. */
const SHOWN_DIGITS = 4;
const FORM = new RegExp(`^${TOKEN_PREFIX}([0-9A-Za-z]{${RANDOM_DIGITS}})([0-9A-Za-z]{${CHECK_DIGITS}})$`);
/** Larger bytes are rejected: beyond the last multiple of 62 they would make the first digits more likely. */
const FAIR_BYTES = 248;

function randomDigits(): string {
  let digits = "";
  while (digits.length < RANDOM_DIGITS)
    for (const byte of randomBytes(RANDOM_DIGITS)) if (byte < FAIR_BYTES) digits += DIGITS[byte % 62];
  return digits.slice(0, RANDOM_DIGITS);
}

/** CRC-32 in base 62. It isn't a proof, but avoids look-ups of mistyped or invented tokens. */
function checkOf(digits: string): string {
  let rest = crc32(digits);
  let check = "";
  for (let i = 0; i < CHECK_DIGITS; i++) {
    check = `${DIGITS[rest % 62]}${check}`;
    rest = Math.floor(rest / 62);
  }
  return check;
}

export function newSecret(): { token: string; shown: string; hash: string } {
  const digits = randomDigits();
  const token = `${TOKEN_PREFIX}${digits}${checkOf(digits)}`;
  return { token, shown: `${TOKEN_PREFIX}${digits.slice(0, SHOWN_DIGITS)}`, hash: hashOf(token) };
}

/** The hash that a token is looked up by; null when it can't be a token. */
export function lookUpHash(token: string): string | null {
  const [, digits, check] = FORM.exec(token) ?? [];
  return digits !== undefined && check === checkOf(digits) ? hashOf(token) : null;
}

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");
