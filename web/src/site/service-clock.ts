type Clock = { readonly aheadMs: number | null };

/** Of the newest socket, which knows it from its first greeting on. */
let clock: Clock = { aheadMs: null };
/** As an earlier socket knew it, until then. */
let aheadMs = 0;

export function tellTimeBy(live: Clock): void {
  aheadMs = clock.aheadMs ?? aheadMs;
  clock = live;
}

/**
 * The time by the service's clock, Unix ms; by this device's before the first greeting. Times of the service are compared with it, since a
 * device's clock may be minutes off.
 */
export const serverNow = (): number => Date.now() + (clock.aheadMs ?? aheadMs);
