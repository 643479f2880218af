type Clock = { serverNow(): number };

/** Of the newest socket, which knows it from its first greeting on. */
let clock: Clock = { serverNow: Date.now };

export function tellTimeBy(live: Clock): void {
  clock = live;
}

/**
 * The time by the service's clock, Unix ms; by this device's before the first socket. Times of the service are compared with it, since a
 * device's clock may be minutes off.
 */
export const serverNow = (): number => clock.serverNow();
