import type { StoreState } from "./messages.ts";

/** The primary sends what stands every two seconds. */
const STALE_MS = 10_000;

/** What the primary last said of the stores; a primary that hangs says nothing, and what it said is forgotten after ten seconds. */
export function createLatestStores(now: () => number = () => performance.now()) {
  let latest: { state: StoreState; at: number } | null = null;
  return {
    receive(state: StoreState): void {
      latest = { state, at: now() };
    },
    /** Null before its first message, and ten seconds after its last. */
    read: (): StoreState | null => (latest !== null && now() - latest.at < STALE_MS ? latest.state : null),
  };
}
