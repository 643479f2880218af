/** In entries. Since MongoDB waits for the commit once per batch, a larger batch would hardly cost less per entry. */
const MAX_SIZE = 1_000;
/** A batch that was faster than this may be doubled without coming near any deadline. */
const FAST_MS = 250;

/**
 * Adaptive batch size: as many entries are written and acknowledged together as MongoDB manages in time at the moment. With
 * a fixed batch a slow MongoDB would run into the same deadline for ever, though it works all the time.
 */
export function createBatchSize() {
  let size = MAX_SIZE;
  return {
    now: () => size,
    written({ entries, tookMs }: { entries: number; tookMs: number }): void {
      // A smaller batch says nothing about a full one.
      if (entries === size && tookMs < FAST_MS) size = Math.min(MAX_SIZE, size * 2);
    },
    failed({ entries }: { entries: number }): void {
      size = Math.max(1, Math.floor(entries / 2));
    },
  };
}
