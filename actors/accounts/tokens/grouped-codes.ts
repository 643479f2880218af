import { createHash, randomInt } from "node:crypto";

const GROUPS = 4;
const GROUP_LENGTH = 6;
/** No two characters look alike. 24 of 32 characters are 120 bits, more than the 112 from which a plain hash is enough. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz023456789";

const FORM = new RegExp(`^[${ALPHABET}]{${GROUPS * GROUP_LENGTH}}$`);

const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** A code that people type or paste: four groups of six characters. */
export const newGroupedCode = (): string => Array.from({ length: GROUPS }, group).join("-");

const bare = (typed: string): string => typed.toLowerCase().replaceAll(/[\s-]/g, "");

/** Accepts spaces and dashes anywhere, and any case. */
export const isGroupedCode = (typed: string): boolean => FORM.test(bare(typed));

/** The stored hash. Neither salted nor slow: each code has 120 random bits. */
export const groupedCodeHash = (code: string): string =>
  createHash("sha256").update(bare(code)).digest("hex");
