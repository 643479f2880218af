const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/**
 * Until what was refused is tried again, ms: `leastMs` at first, which is what the service says, if it does; twice as long with each
 * refusal, up to a minute unless the service says more; and not at the same moment as everybody else.
 */
export function retryWait(refusals: number, leastMs: number | null): number {
  const first = Math.max(leastMs ?? 0, FIRST_MS);
  return Math.max(first, Math.min(LONGEST_MS, first * 2 ** refusals)) * (1 + Math.random() / 2);
}
