/** Entries; with the commit that MongoDB waits for, more at once would cost hardly less each. */
const MOST = 1_000;
/** A batch that took no longer may be twice as large without coming near any deadline. */
const QUICK_MS = 250;

/**
 * How many entries are written and acknowledged together: as many as MongoDB manages in time, now. A slow one that
 * were always given the same batch would run into the same deadline for ever, though it works all the time.
 */
export function createBatchSize() {
  let size = MOST;
  return {
    now: () => size,
    written({ entries, tookMs }: { entries: number; tookMs: number }): void {
      // A smaller one says nothing of a full one.
      if (entries === size && tookMs < QUICK_MS) size = Math.min(MOST, size * 2);
    },
    failed({ entries }: { entries: number }): void {
      size = Math.max(1, Math.floor(entries / 2));
    },
  };
}
