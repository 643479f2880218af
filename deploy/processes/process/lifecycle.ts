import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../../../base/log.ts";

const DEFAULT_DEADLINE_MS = 5_000;

export type Lifecycle = {
  /**
   * Opens a part and registers how to close it. Rejects as `open` does. When the stop began meanwhile, the part is closed again
   * and this rejects. `deadlineMs` (5 s by default) bounds the closing.
   */
  start<T>(
    name: string,
    open: () => T | Promise<T>,
    close?: (part: T) => unknown,
    options?: { deadlineMs?: number },
  ): Promise<T>;
  /**
   * Closes all parts, last opened first, each within its deadline; a part that fails or hangs is logged and skipped. Further
   * calls return the same promise. Resolves with the names of parts that didn't close cleanly.
   */
  stop(): Promise<readonly string[]>;
};

type Part = { name: string; close: () => unknown; deadlineMs: number };

export function createLifecycle(log: Log): Lifecycle {
  const parts: Part[] = [];
  let stopping: Promise<readonly string[]> | null = null;

  return {
    async start(name, open, close, options) {
      if (stopping) throw new Error(`${name} wasn't started: the process is stopping.`);
      const startedAt = performance.now();
      const opened = await open();
      const part: Part = {
        name,
        close: () => close?.(opened),
        deadlineMs: options?.deadlineMs ?? DEFAULT_DEADLINE_MS,
      };
      if (stopping) {
        await closePart(part, log);
        throw new Error(`${name} was closed again: the process is stopping.`);
      }
      parts.push(part);
      log.debug({ part: name, ms: Math.round(performance.now() - startedAt) }, "started");
      return opened;
    },

    stop() {
      stopping ??= closeAll(parts, log);
      return stopping;
    },
  };
}

async function closeAll(parts: Part[], log: Log): Promise<readonly string[]> {
  const unclean: string[] = [];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (!(await closePart(part, log))) unclean.push(part.name);
  }
  return unclean;
}

async function closePart({ name, close, deadlineMs }: Part, log: Log): Promise<boolean> {
  const startedAt = performance.now();
  const overdue = new AbortController();
  try {
    const outcome = await Promise.race([
      Promise.resolve(close()).then(() => "closed" as const),
      delay(deadlineMs, "late" as const, { signal: overdue.signal }),
    ]);
    const ms = Math.round(performance.now() - startedAt);
    if (outcome === "late") log.warn({ part: name, deadlineMs }, "a part didn't close in time");
    else log.debug({ part: name, ms }, "closed");
    return outcome === "closed";
  } catch (err) {
    log.error({ err, part: name }, "a part failed to close");
    return false;
  } finally {
    overdue.abort();
  }
}
