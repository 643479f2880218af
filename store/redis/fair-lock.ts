import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Result } from "ioredis";
import { newId } from "../ids.ts";
import type { Log } from "../log.ts";
import { keys } from "./keys.ts";
import type { RedisConnection } from "./nodes.ts";

const script = readFileSync(new URL("./scripts/take-turn.lua", import.meta.url), "utf8");

/** A holder that has said nothing for so long has lost its turn: it died, or stands still. */
const HOLDER_SILENT_MS = 2_000;
/** A holder that is at work says so this often: a slow commit keeps its turn, else everybody would collide with it. */
const RENEW_MS = 500;
/** A waiter that asked longer ago than this is taken for dead. */
const WAITER_SILENT_MS = 500;
const POLL_MS = 4;
/** Nobody waits longer: the rest of the time that a request has is for its own work. */
const WAIT_MS = 5_000;
/** After a failure turns are skipped this long, so that an absent Redis doesn't cost every batch its deadline. */
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
 * Turns at one actor between processes, in the order of asking. They keep a hot actor fair and save conflicts;
 * nothing rests on them: without Redis, or after 5 s of waiting, the work goes on without.
 */
export function createFairLock(redis: RedisConnection, log: Log) {
  redis.defineCommand("livecoreTakeTurn", { numberOfKeys: 1, lua: script });
  let skipUntil = 0;

  const ask = async (actor: string, token: string, act: "take" | "leave") =>
    (await redis.livecoreTakeTurn(keys.actorTurn(actor), token, act, HOLDER_SILENT_MS, WAITER_SILENT_MS)) ===
    1;

  async function wait(actor: string, token: string, deadline: number): Promise<void> {
    const until = Math.min(performance.now() + WAIT_MS, deadline);
    while (!(await ask(actor, token, "take")) && performance.now() < until) await pause(POLL_MS);
  }

  async function skippingAbsence(step: () => Promise<unknown>): Promise<void> {
    if (performance.now() < skipUntil) return;
    try {
      await step();
    } catch (err) {
      // Whatever it is, full, away or broken: nothing rests on turns, so no actor waits or fails for them.
      skipUntil = performance.now() + SKIP_MS;
      log.debug({ err }, "turns are skipped while Redis doesn't give them");
    }
  }

  /** Nobody waits for the answer; the connection keeps the order of what is said. */
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
