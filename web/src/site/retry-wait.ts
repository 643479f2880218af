const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/**
 * Until what was refused is tried again, ms: no sooner than the service says, longer with each refusal up to a minute, and not at the same
 * moment as everybody else.
 */
export const retryWait = (refusals: number, askedMs: number | null): number =>
  Math.max(askedMs ?? 0, Math.min(LONGEST_MS, FIRST_MS * 2 ** refusals)) * (1 + Math.random() / 2);
