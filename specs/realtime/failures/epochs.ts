import type { LoadScenario } from "../../stress/checker/load-scenario.ts";
import { eventually } from "../../support/eventually.ts";

/** Records the epoch of each client. */
export function watchEpochs({ watchers }: LoadScenario) {
  const epochs = () => watchers.map(({ trace }) => trace.last?.epoch ?? 0);
  const before = epochs();
  return {
    /** Resolves when every client is in a later epoch. */
    allAreNew: (withinMs: number) =>
      eventually(
        () => {
          const old = epochs().filter((epoch, i) => epoch <= (before[i] ?? 0)).length;
          if (old > 0) throw new Error(`${old} clients are still in the old epoch`);
        },
        { withinMs },
      ),
  };
}
