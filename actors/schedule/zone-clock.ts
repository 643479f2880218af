import { Temporal } from "temporal-polyfill";

/** From `from` (Unix ms) on, the zone's clock is `ahead` ms ahead of UTC. */
type Stretch = { from: number; ahead: number };

/**
 * Falls back to UTC when this process doesn't know the zone: zones come with Node, and the Node version of another worker or of
 * an earlier release may have known it.
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

/** The zone's local time, encoded as if it were UTC, ms. */
export const localTimeOf = (at: Date, timeZone: string): number => +at + aheadAt(zoned(at, timeZone));

/**
 * Converts local times between `from` and `to` to instants. The zone's rules are read only once, since a schedule has a thousand
 * such times and each read would cost some microseconds. Of a time that occurs twice it returns the first; a skipped time is
 * moved later by what was skipped.
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
      // Before this stretch begins: the time was skipped when the clock was set forward.
      if (at < stretch.from) break;
      ahead = stretch.ahead;
      if (at < (stretches[i + 1]?.from ?? Number.POSITIVE_INFINITY)) break;
    }
    return new Date(shown - ahead);
  };
}
