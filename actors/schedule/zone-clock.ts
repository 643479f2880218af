import { Temporal } from "temporal-polyfill";

/** From then on the zone's clock is ahead of UTC by so much, ms. */
type Stretch = { from: number; ahead: number };

/**
 * By UTC where this process doesn't know the zone: zones come with Node, and another worker's, or that of before, may have known one
 * more.
 */
export function zoned(at: Date, timeZone: string): Temporal.ZonedDateTime {
  const instant = Temporal.Instant.fromEpochMilliseconds(at.getTime());
  try {
    return instant.toZonedDateTimeISO(timeZone);
  } catch (err) {
    if (!(err instanceof RangeError)) throw err;
    return instant.toZonedDateTimeISO("UTC");
  }
}

const aheadAt = (at: Temporal.ZonedDateTime): number => at.offsetNanoseconds / 1_000_000;

/** What a clock of that zone shows, as if it stood in UTC. */
export const shownAt = (at: Date, timeZone: string): number => +at + aheadAt(zoned(at, timeZone));

/**
 * When a clock of that zone shows a time between the two: asked of the zone's rules once, since a schedule has a thousand
 * such times and each would cost some microseconds. Of a time that is shown twice the first; one that is left out is as much later
 * as was left out.
 */
export function zoneClock(timeZone: string, { from, to }: { from: Date; to: Date }): (shown: number) => Date {
  const stretches: [Stretch, ...Stretch[]] = [
    { from: Number.NEGATIVE_INFINITY, ahead: aheadAt(zoned(from, timeZone)) },
  ];
  let next = zoned(from, timeZone).getTimeZoneTransition("next");
  for (; next && next.epochMilliseconds < +to; next = next.getTimeZoneTransition("next"))
    stretches.push({ from: next.epochMilliseconds, ahead: aheadAt(next) });

  return (shown) => {
    let { ahead } = stretches[0];
    for (const [i, stretch] of stretches.entries()) {
      const at = shown - stretch.ahead;
      // Before it: the clock went past that time when it was put forward.
      if (at < stretch.from) break;
      ahead = stretch.ahead;
      if (at < (stretches[i + 1]?.from ?? Number.POSITIVE_INFINITY)) break;
    }
    return new Date(shown - ahead);
  };
}
