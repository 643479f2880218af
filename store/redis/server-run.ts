import type { Redis } from "ioredis";
import { onRedis } from "./connect.ts";
import { nodeOf, type RedisConnection } from "./nodes.ts";

/** A server as it runs now: its `run_id`, which changes with every start and with a failover, and the way to it. */
export type ServerRun = { id: string; node: Redis };

type Known = { current(): ServerRun | Promise<ServerRun>; forget(): void; close(): void };

/**
 * Which server holds a key, looked up once after each (re)connect to it. A command sent on `node` right after the promise
 * settled goes to that very run or fails: losing the connection forgets the id in the same turn, and in a cluster
 * `node` follows no redirection to another server.
 */
export function serverRuns(redis: RedisConnection) {
  const servers = new Map<Redis, Known>();

  function serverOf(key: string): Known {
    const node = nodeOf(redis, key);
    const known = servers.get(node) ?? watch(node);
    if (!servers.has(node)) {
      servers.set(node, known);
      // A node that is gone for good comes back as another connection, if at all.
      node.once("end", () => servers.delete(node));
    }
    return known;
  }

  return {
    /** Without a pause when it is known. Throws unavailable. */
    current: (key: string): ServerRun | Promise<ServerRun> => serverOf(key).current(),
    /** After the state at `key` named another server. */
    forget: (key: string): void => serverOf(key).forget(),
    close(): void {
      for (const server of servers.values()) server.close();
    },
  };
}

export type ServerRuns = ReturnType<typeof serverRuns>;

function watch(node: Redis): Known {
  let known: ServerRun | null = null;
  let asking: Promise<ServerRun> | null = null;
  let generation = 0;

  function forget(): void {
    generation++;
    known = null;
    asking = null;
  }
  node.on("close", forget);
  node.on("end", forget);

  async function ask(): Promise<ServerRun> {
    const seen = generation;
    const info = await onRedis(() => node.info("server"));
    const id = /^run_id:(\S+)/m.exec(info)?.[1];
    if (!id) throw new Error("The Redis server tells no run_id.");
    const run = { id, node };
    if (seen === generation) known = run;
    return run;
  }

  return {
    current() {
      if (known !== null) return known;
      asking ??= ask().finally(() => {
        asking = null;
      });
      return asking;
    },
    forget,
    close(): void {
      node.off("close", forget);
      node.off("end", forget);
    },
  };
}
