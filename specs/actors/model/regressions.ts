/**
 * Runs in which reality once differed from the model, as fast-check named them: gone through before any other. When a run
 * fails, its seed and path are printed; put them here, and leave them here.
 */
export const REGRESSIONS: readonly { of: "pure" | "stored"; seed: number; path: string }[] = [];
