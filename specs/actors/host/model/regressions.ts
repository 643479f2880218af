/**
 * Runs in which the system once differed from the model, by fast-check's seed and path; they run before any others. When a run
 * fails, its seed and path are printed: add them here, and keep them.
 */
export const REGRESSIONS: readonly { of: "pure" | "stored"; seed: number; path: string }[] = [];
