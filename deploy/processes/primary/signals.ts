/**
 * A repeat within this time counts as the same signal: npm forwards a terminal's signal that the process also receives
 * itself.
 */
const SAME_SIGNAL_MS = 1_000;

type SignalSource = {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
};

/**
 * SIGTERM, SIGINT and SIGHUP (a closing terminal) call `stop` once; another one more than a second later calls `force`. SIGUSR2
 * calls `roll`. Returns a function that removes the listeners.
 */
export function listenForSignals(
  source: SignalSource,
  on: {
    stop: (signal: string) => void;
    force: (signal: string) => void;
    roll: () => void;
    /** A monotonic clock, ms. */
    now?: () => number;
  },
): () => void {
  const now = on.now ?? (() => performance.now());
  let firstAt: number | null = null;
  const end = (signal: string) => {
    if (firstAt === null) {
      firstAt = now();
      on.stop(signal);
    } else if (now() - firstAt > SAME_SIGNAL_MS) {
      on.force(signal);
    }
  };
  const listeners: [NodeJS.Signals, () => void][] = [
    ["SIGTERM", () => end("SIGTERM")],
    ["SIGINT", () => end("SIGINT")],
    ["SIGHUP", () => end("SIGHUP")],
    ["SIGUSR2", () => on.roll()],
  ];
  for (const [signal, listener] of listeners) source.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) source.off(signal, listener);
  };
}
