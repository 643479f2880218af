import { domainToASCII } from "node:url";
import { BLANK, HIDDEN } from "./invisible.ts";

/**
 * What people type into fields that name or prove something, and what it stands for (`x-typed` in the OpenAPI document). It is
 * read so before the schema's rules apply, so these describe what is stored and compared.
 */
export const TYPED_INPUT = {
  /** A user's name. */
  name: (text: string) => plain(text),
  /** An e-mail address; a host in another script becomes the ASCII form by which mail is sent, as browsers do it. */
  email: (text: string) => addressFrom(plain(text)),
  /** A name or an address. */
  login: (text: string) => addressFrom(plain(text)),
  /** Digits or letters that were shown in groups; digits of every script count. */
  code: (text: string) => withAsciiDigits(text.normalize("NFKC")).replace(GAPS, ""),
  /** A secret that was copied, and may have a space or a line break around it. */
  pasted: (text: string) => trimmed(text),
} as const satisfies Record<string, (text: string) => string>;

const LOCAL = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";

/**
 * HTML's rule for e-mail fields, save for what the service can't send to: dots at the edges of the local part or beside each
 * other (RFC 5322 has none), hosts without a dot, and numeric ones.
 */
export const EMAIL_PATTERN = `^${LOCAL}(\\.${LOCAL})*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$`;

export const EMAIL_RULE = {
  pattern: EMAIL_PATTERN,
  "x-words": "an email address, such as name@example.org",
};

/**
 * Several times the longest of these fields, with what may stand around it. Reading takes up to quadratic time (NFKC puts marks in
 * order), and what is longer is refused by the schema's rules in any case.
 */
export const LONGEST_TYPED = 1_024;

/** The text as that kind of input; as it was typed if it is too long to be one. */
export const typedInput = (kind: keyof typeof TYPED_INPUT, text: string): string =>
  text.length > LONGEST_TYPED ? text : TYPED_INPUT[kind](text);

export function isTypedKind(kind: unknown): kind is keyof typeof TYPED_INPUT {
  return typeof kind === "string" && Object.hasOwn(TYPED_INPUT, kind);
}

/** What chat clients and address books add. */
const INVISIBLE = new RegExp(`[${BLANK}${HIDDEN}]`, "u");
const GAPS = new RegExp(String.raw`[${BLANK}${HIDDEN}\p{Dash_Punctuation}]`, "gu");
const DIGIT = /\p{Nd}/u;

const plain = (text: string): string => trimmed(text).normalize("NFKC");

/** A loop, since an expression for the end of a text takes quadratic time. All of these characters are single units, or pairs. */
export function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  for (let width = 1; from < to; from += width) {
    const character = String.fromCodePoint(text.codePointAt(from) ?? 0);
    if (!INVISIBLE.test(character)) break;
    width = character.length;
  }
  while (to > from) {
    const isPair = to - 2 >= from && (text.codePointAt(to - 2) ?? 0) > 0xffff;
    const start = to - (isPair ? 2 : 1);
    if (!INVISIBLE.test(text.slice(start, to))) break;
    to = start;
  }
  return text.slice(from, to);
}

/** Longer hosts don't exist. */
const LONGEST_HOST = 253;
/** Converting follows rules of URLs, which would end the host at other signs, or decode them: another address than was typed. */
const HOST = /^[\p{L}\p{M}\p{N}.\u3002-]+$/u;

function addressFrom(text: string): string {
  const at = text.lastIndexOf("@");
  const host = text.slice(at + 1);
  // Converting is for names; of others the rule says what is wrong.
  if (at === -1 || host.length > LONGEST_HOST || /^[\0-\x7f]*$/.test(host) || !HOST.test(host)) return text;
  return `${text.slice(0, at)}@${domainToASCII(host) || host}`;
}

function withAsciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => (digit <= "9" ? digit : String(digitValue(digit))));
}

/** Unicode keeps the ten digits of a script together and in order, so a digit's value is its place in its run. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first--;
  return (code - first) % 10;
}
