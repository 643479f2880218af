import { useEffect, useState } from "preact/hooks";
import { formatLeft } from "../formats/clock.ts";
import { serverNow } from "../site/service-clock.ts";

const TICK_MS = 1_000;

/**
 * Renders each second; returns what is left until then (Unix ms, by the service's clock), ms, and 0 from then on. Null: nothing is waited for.
 */
export function useTimeLeft(until: number | null): number {
  const [, tick] = useState(0);
  const left = until === null ? 0 : Math.max(0, until - serverNow());
  useEffect(() => {
    if (until === null) return;
    const timer = setInterval(() => tick((ticks) => ticks + 1), TICK_MS);
    return () => clearInterval(timer);
  }, [until === null]);
  return left;
}

/** What is left until then, as a clock shows it. Screen readers get it where they look for it, not each second. */
export function Countdown({ until }: { until: number }) {
  const left = useTimeLeft(until);
  return (
    <span class="countdown" role="timer">
      {formatLeft(left)}
    </span>
  );
}
