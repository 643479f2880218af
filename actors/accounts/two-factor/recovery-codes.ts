import { createHash, randomInt } from "node:crypto";

const CODES = 10;
/** At this number or below, the owner is warned to generate new ones. */
export const FEW_CODES = 3;
const GROUPS = 4;
const GROUP_LENGTH = 6;
/** No two characters look alike. 24 of 32 characters are 120 bits, more than the 112 from which a plain hash is enough. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz023456789";

const FORM = new RegExp(`^[${ALPHABET}]{${GROUPS * GROUP_LENGTH}}$`);

const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** Ten codes of four groups of six characters. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: CODES }, () => Array.from({ length: GROUPS }, group).join("-"));

const bare = (typed: string): string => typed.toLowerCase().replaceAll(/[\s-]/g, "");

/** Accepts spaces and dashes anywhere, and any case. */
export const isRecoveryCode = (typed: string): boolean => FORM.test(bare(typed));

/** The stored hash. Neither salted nor slow: each code has 120 random bits. */
export const recoveryHash = (code: string): string => createHash("sha256").update(bare(code)).digest("hex");
