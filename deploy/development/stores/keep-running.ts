import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../../../base/log.ts";
import type { StoreProcess } from "./store-process.ts";

const CHECK_EVERY_MS = 500;
const FIRST_PAUSE_MS = 200;
/** Long enough that a full disk isn't hammered, short enough that the service recovers soon after somebody has freed it. */
const MAX_PAUSE_MS = 15_000;

/**
 * Starts a store again that has died, on its port and with its data, as often as necessary: the service waits for it as for any
 * store that is away. `stop` ends the watching and what it is starting, not the store.
 */
export function keepRunning(
  { title, log }: { title: string; log: Log },
  store: Pick<StoreProcess, "isAlive" | "whyEnded">,
  restart: (signal: AbortSignal) => Promise<unknown>,
) {
  const stopped = new AbortController();
  const { signal } = stopped;

  async function revive(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        await restart(signal);
        log.warn({ store: title }, "store started again");
        return;
      } catch (err) {
        if (signal.aborted) return;
        log.error({ store: title, err, pauseMs }, "store not started: retried");
        await pause(pauseMs);
      }
    }
  }

  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined); // stopped meanwhile

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await pause(CHECK_EVERY_MS);
      if (signal.aborted || store.isAlive()) continue;
      log.error({ store: title, reason: store.whyEnded() }, "store died: starting it again");
      await revive();
    }
  }

  const watching = watch();
  return {
    async stop(): Promise<void> {
      stopped.abort();
      await watching;
    },
  };
}
