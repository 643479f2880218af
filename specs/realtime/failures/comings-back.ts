import type { Return, Watcher } from "../../stress/checker/watcher.ts";
import { eventually } from "../../support/eventually.ts";

/** What happens to clients from now on: who comes back, and when they have been shown all that they missed. */
export function watchReturns(watchers: readonly Watcher[]) {
  const before = new Map(watchers.map((watcher) => [watcher, watcher.returns.length]));
  const since = performance.now();
  const of = (watcher: Watcher): Return[] => watcher.returns.slice(before.get(watcher) ?? 0);
  const all = () => watchers.flatMap(of);

  return {
    of,
    all,
    /** Somebody came back, and everybody is there and has caught up. */
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
    /** ms from the beginning until each return had caught up. */
    times: (): number[] =>
      all().map(({ caughtUpAt }) => Math.round((caughtUpAt ?? Number.POSITIVE_INFINITY) - since)),
    /** Returns of clients that were told of a gap, or began anew. */
    unrecovered: (): number => all().filter(({ recovered }) => recovered !== true).length,
  };
}
