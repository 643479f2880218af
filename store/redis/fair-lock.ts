import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Result } from "ioredis";
import { newId } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import { keys } from "./keys.ts";
import type { RedisConnection } from "./nodes.ts";

const script = readFileSync(new URL("./scripts/take-turn.lua", import.meta.url), "utf8");

/** A holder that hasn't renewed for this long loses the lock: it has crashed or is paused. */
const HOLDER_SILENT_MS = 2_000;
/** How often a holder renews: a slow commit keeps the lock, since otherwise all others would conflict with it. */
const RENEW_MS = 500;
/** A waiter whose last poll is older than this is dropped. */
const WAITER_SILENT_MS = 500;
/** Poll interval per waiter ahead: only the next one polls often. */
const POLL_MS = 4;
const MAX_POLL_MS = 50;
/** The longest wait: the rest of a request's time is for its own work. */
const MAX_WAIT_MS = 5_000;
/** After a failure the lock is skipped for this long, so that during an outage of Redis not every batch waits for its timeout. */
const SKIP_MS = 1_000;

declare module "ioredis" {
  interface RedisCommander<Context> {
    livecoreTakeTurn(
      key: string,
      token: string,
      act: "take" | "leave",
      holderSilentMs: number,
      waiterSilentMs: number,
    ): Result<number, Context>;
  }
}

export type FairLock = ReturnType<typeof createFairLock>;

/**
 * An advisory FIFO lock per actor, between processes. It keeps a hot actor fair and avoids write conflicts; correctness
 * doesn't depend on it: without Redis, or after 5 s of waiting, the work goes on without it.
 */
export function createFairLock(redis: RedisConnection, log: Log) {
  redis.defineCommand("livecoreTakeTurn", { numberOfKeys: 1, lua: script });
  let skipUntil = 0;

  /** Returns how many are ahead of it. */
  const takeTurn = (actor: string, token: string, act: "take" | "leave") =>
    redis.livecoreTakeTurn(keys.actorTurn(actor), token, act, HOLDER_SILENT_MS, WAITER_SILENT_MS);

  async function wait(actor: string, token: string, deadline: number): Promise<void> {
    const until = Math.min(performance.now() + MAX_WAIT_MS, deadline);
    for (;;) {
      const before = await takeTurn(actor, token, "take");
      if (before === 0 || performance.now() >= until) return;
      await pause(Math.min(before * POLL_MS, MAX_POLL_MS));
    }
  }

  async function skippingOutages(step: () => Promise<unknown>): Promise<void> {
    if (performance.now() < skipUntil) return;
    try {
      await step();
    } catch (err) {
      // Any error, since the lock is advisory: no actor waits or fails for it.
      skipUntil = performance.now() + SKIP_MS;
      log.debug({ err }, "turns are skipped while Redis doesn't give them");
    }
  }

  /** Fire and forget; the connection keeps the order of commands. */
  function send(actor: string, token: string, act: "take" | "leave"): void {
    void skippingOutages(() => takeTurn(actor, token, act));
  }

  return {
    /** Waits at most until `deadline`, of performance.now(). */
    async within<T>(actor: string, deadline: number, work: () => Promise<T>): Promise<T> {
      const token = newId();
      await skippingOutages(() => wait(actor, token, deadline));
      const renewing = setInterval(() => send(actor, token, "take"), RENEW_MS);
      try {
        return await work();
      } finally {
        clearInterval(renewing);
        send(actor, token, "leave");
      }
    },
  };
}
