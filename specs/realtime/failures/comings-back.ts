import type { Return, Watcher } from "../../stress/checker/watcher.ts";
import { eventually } from "../../support/eventually.ts";

/** Tracks reconnects from now on, and when clients have caught up. */
export function watchReturns(watchers: readonly Watcher[]) {
  const before = new Map(watchers.map((watcher) => [watcher, watcher.returns.length]));
  const since = performance.now();
  const of = (watcher: Watcher): Return[] => watcher.returns.slice(before.get(watcher) ?? 0);
  const all = () => watchers.flatMap(of);

  return {
    of,
    all,
    /** Resolves when at least one client has reconnected, and all are connected and caught up. */
    everybodyIsBack: (withinMs: number) =>
      eventually(
        () => {
          const away = watchers.filter(({ isCaughtUp }) => !isCaughtUp).length;
          const behind = all().filter(({ caughtUpAt }) => caughtUpAt === null).length;
          if (away + behind > 0) throw new Error(`${away} clients are away, ${behind} are behind`);
          if (all().length === 0) throw new Error("nobody has come back");
        },
        { withinMs },
      ),
    /** Times from the start until each reconnect had caught up, ms. */
    times: (): number[] =>
      all().map(({ caughtUpAt }) => Math.round((caughtUpAt ?? Number.POSITIVE_INFINITY) - since)),
    /** Number of reconnects that didn't resume: with a gap or from scratch. */
    unrecovered: (): number => all().filter(({ recovered }) => recovered !== true).length,
  };
}
