import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Result } from "ioredis";
import { newId } from "../ids.ts";
import type { Log } from "../log.ts";
import { keys } from "./keys.ts";
import type { RedisConnection } from "./nodes.ts";

const script = readFileSync(new URL("./scripts/take-turn.lua", import.meta.url), "utf8");

/** A holder that hasn't renewed for so long loses the lock: it died or is paused. */
const HOLDER_SILENT_MS = 2_000;
/** How often a holder renews: a slow commit keeps the lock, or all others would conflict with it. */
const RENEW_MS = 500;
/** A waiter whose last request is older than this is dropped. */
const WAITER_SILENT_MS = 500;
/** For each that is before it a waiter is silent for so long: only the next one asks often. */
const POLL_MS = 4;
const LONGEST_POLL_MS = 50;
/** The longest wait: the rest of a request's time is for its own work. */
const WAIT_MS = 5_000;
/** After a failure the lock is skipped this long, so that an absent Redis doesn't cost every batch its deadline. */
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
 * An advisory FIFO lock for one actor between processes. It keeps a hot actor fair and saves write conflicts; correctness
 * doesn't depend on it: without Redis, or after 5 s of waiting, the work goes on without.
 */
export function createFairLock(redis: RedisConnection, log: Log) {
  redis.defineCommand("livecoreTakeTurn", { numberOfKeys: 1, lua: script });
  let skipUntil = 0;

  /** How many are before it. */
  const ask = (actor: string, token: string, act: "take" | "leave") =>
    redis.livecoreTakeTurn(keys.actorTurn(actor), token, act, HOLDER_SILENT_MS, WAITER_SILENT_MS);

  async function wait(actor: string, token: string, deadline: number): Promise<void> {
    const until = Math.min(performance.now() + WAIT_MS, deadline);
    for (;;) {
      const before = await ask(actor, token, "take");
      if (before === 0 || performance.now() >= until) return;
      await pause(Math.min(before * POLL_MS, LONGEST_POLL_MS));
    }
  }

  async function skippingAbsence(step: () => Promise<unknown>): Promise<void> {
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
  function tell(actor: string, token: string, act: "take" | "leave"): void {
    void skippingAbsence(() => ask(actor, token, act));
  }

  return {
    /** Waits at most until `deadline`, of performance.now(). */
    async within<T>(actor: string, deadline: number, work: () => Promise<T>): Promise<T> {
      const token = newId();
      await skippingAbsence(() => wait(actor, token, deadline));
      const renewing = setInterval(() => tell(actor, token, "take"), RENEW_MS);
      try {
        return await work();
      } finally {
        clearInterval(renewing);
        tell(actor, token, "leave");
      }
    },
  };
}
