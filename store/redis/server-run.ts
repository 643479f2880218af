import type { Redis } from "ioredis";
import { onRedis } from "./connect.ts";

/**
 * The `run_id` of the server behind a connection, asked once after each (re)connect: it changes with every
 * start of the server and with a failover. Commands sent right after the promise settled go to that very
 * server, since losing the connection forgets the id in the same turn.
 */
export function serverRun(redis: Redis) {
  let known: string | null = null;
  let asking: Promise<string> | null = null;
  let generation = 0;

  function forget(): void {
    generation++;
    known = null;
    asking = null;
  }
  redis.on("close", forget);
  redis.on("end", forget);

  async function ask(): Promise<string> {
    const asked = generation;
    const info = await onRedis(() => redis.info("server"));
    const runId = /^run_id:(\S+)/m.exec(info)?.[1];
    if (!runId) throw new Error("The Redis server tells no run_id.");
    if (asked === generation) known = runId;
    return runId;
  }

  return {
    /** Without a pause when it is known. */
    current(): string | Promise<string> {
      if (known !== null) return known;
      asking ??= ask().finally(() => {
        asking = null;
      });
      return asking;
    },
    /** After the room's state named another server. */
    forget,
    close(): void {
      redis.off("close", forget);
      redis.off("end", forget);
    },
  };
}

export type ServerRun = ReturnType<typeof serverRun>;
