import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Redis, Result } from "ioredis";
import { newId } from "../ids.ts";
import type { Log } from "../log.ts";
import { isRedisAway } from "./connect.ts";
import { keys } from "./keys.ts";

const script = readFileSync(new URL("./scripts/take-turn.lua", import.meta.url), "utf8");

/** A turn is over after this, whether or not its holder says so; nobody waits longer either. */
const TURN_MS = 2_000;
/** A waiter that asked longer ago than this is taken for dead. */
const SILENT_MS = 200;
const POLL_MS = 4;
/** After a failure turns are skipped this long, so that an absent Redis doesn't cost every batch its deadline. */
const SKIP_MS = 1_000;

declare module "ioredis" {
  interface RedisCommander<Context> {
    livecoreTakeTurn(
      key: string,
      token: string,
      act: "take" | "leave",
      turnMs: number,
      silentMs: number,
    ): Result<number, Context>;
  }
}

export type Turns = ReturnType<typeof createTurns>;

/**
 * Turns at one actor between processes, in the order of asking. They keep a hot actor fair and save conflicts;
 * nothing rests on them: without Redis, or after 2 s of waiting, the work goes on without.
 */
export function createTurns(redis: Redis, log: Log) {
  redis.defineCommand("livecoreTakeTurn", { numberOfKeys: 1, lua: script });
  let skipUntil = 0;

  const ask = async (actor: string, token: string, act: "take" | "leave") =>
    (await redis.livecoreTakeTurn(keys.actorTurn(actor), token, act, TURN_MS, SILENT_MS)) === 1;

  async function wait(actor: string, token: string): Promise<void> {
    const until = performance.now() + TURN_MS;
    while (!(await ask(actor, token, "take")) && performance.now() < until) await pause(POLL_MS);
  }

  async function skippingAbsence(step: () => Promise<unknown>): Promise<void> {
    if (performance.now() < skipUntil) return;
    try {
      await step();
    } catch (err) {
      if (!isRedisAway(err)) throw err;
      skipUntil = performance.now() + SKIP_MS;
      log.debug({ err }, "turns are skipped while Redis is away");
    }
  }

  return {
    async within<T>(actor: string, work: () => Promise<T>): Promise<T> {
      const token = newId();
      await skippingAbsence(() => wait(actor, token));
      try {
        return await work();
      } finally {
        await skippingAbsence(() => ask(actor, token, "leave"));
      }
    },
  };
}
