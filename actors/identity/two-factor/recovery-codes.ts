import { createHash, randomInt } from "node:crypto";

const CODES = 10;
/** Past this one is told to make new ones. */
export const FEW_CODES = 3;
const GROUPS = 4;
const GROUP_LENGTH = 6;
/** No two characters of it look alike. 24 of 32 are 120 bits: past the 112 from which a plain hash is enough. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz023456789";

const FORM = new RegExp(`^[${ALPHABET}]{${GROUPS * GROUP_LENGTH}}$`);

const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** Ten, as they are shown once: four groups of six characters. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: CODES }, () => Array.from({ length: GROUPS }, group).join("-"));

const bare = (typed: string): string => typed.toLowerCase().replaceAll(/[\s-]/g, "");

/** Typed with whatever between its groups. */
export const isRecoveryCode = (typed: string): boolean => FORM.test(bare(typed));

/** How it is kept. No salt and no slow hash: each has 120 random bits. */
export const recoveryHash = (code: string): string => createHash("sha256").update(bare(code)).digest("hex");
