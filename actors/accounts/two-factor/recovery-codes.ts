import { newGroupedCode } from "../tokens/grouped-codes.ts";

const CODES = 10;
/** At this number or below, the owner is warned to generate new ones. */
export const FEW_CODES = 3;

export const newRecoveryCodes = (): string[] => Array.from({ length: CODES }, newGroupedCode);
