const GRID_MS = 250;
/** Of what needn't be on time: all of it then looks for work in one command a second (store/mongo/driver/batched-finds.ts). */
const SLOW_GRID_MS = 1_000;

/**
 * The pause, ms, after which periodic work goes on: `everyMs` after `since`, give or take half the grid, so that all of a process ends
 * its pauses at the same moments: whole seconds for pauses of a second or more, quarters of a second for shorter ones. To wake for each
 * of twenty jobs cost an idle process a sixth of what it computed. Pauses below a quarter of a second stay as they are. Work that has
 * taken long since `since` has half of the pause nevertheless.
 */
export function alignedPause(everyMs: number, now = performance.now(), since = now): number {
  if (everyMs < GRID_MS) return everyMs;
  const grid = everyMs < SLOW_GRID_MS ? GRID_MS : SLOW_GRID_MS;
  const end = Math.max(since + everyMs, now + everyMs / 2);
  return Math.max(1, Math.round(end / grid) * grid - now);
}
