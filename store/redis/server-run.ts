import type { Redis } from "ioredis";
import { onRedis } from "./connect.ts";
import { nodeOf, type RedisConnection } from "./nodes.ts";

/** A run of a server: its `run_id`, which changes with every start and with a failover, and the connection to it. */
export type ServerRun = { id: string; node: Redis };

type TrackedServer = { current(): ServerRun | Promise<ServerRun>; forget(): void; close(): void };

/**
 * The server run that holds a key, looked up once per (re)connect. A command sent on `node` right after the promise has
 * settled goes to exactly that run or fails: losing the connection invalidates the id in the same turn of the event loop, and in
 * a cluster `node` follows no redirection to another server.
 */
export function serverRuns(redis: RedisConnection) {
  const servers = new Map<Redis, TrackedServer>();

  function serverOf(key: string): TrackedServer {
    const node = nodeOf(redis, key);
    const known = servers.get(node) ?? watch(node);
    if (!servers.has(node)) {
      servers.set(node, known);
      // A node that is gone for good comes back with another connection object, if at all.
      node.once("end", () => servers.delete(node));
    }
    return known;
  }

  return {
    /** Synchronous when it is known. Throws unavailable. */
    current: (key: string): ServerRun | Promise<ServerRun> => serverOf(key).current(),
    /** Call it when the state at `key` named another run. */
    forget: (key: string): void => serverOf(key).forget(),
    close(): void {
      for (const server of servers.values()) server.close();
    },
  };
}

export type ServerRuns = ReturnType<typeof serverRuns>;

function watch(node: Redis): TrackedServer {
  let known: ServerRun | null = null;
  let pending: Promise<ServerRun> | null = null;
  let generation = 0;

  function forget(): void {
    generation++;
    known = null;
    pending = null;
  }
  node.on("close", forget);
  node.on("end", forget);

  async function lookUp(): Promise<ServerRun> {
    const seen = generation;
    const info = await onRedis(() => node.info("server"));
    const id = /^run_id:(\S+)/m.exec(info)?.[1];
    if (!id) throw new Error("The Redis server reports no run_id.");
    const run = { id, node };
    if (seen === generation) known = run;
    return run;
  }

  return {
    current() {
      if (known !== null) return known;
      pending ??= lookUp().finally(() => {
        pending = null;
      });
      return pending;
    },
    forget,
    close(): void {
      node.off("close", forget);
      node.off("end", forget);
    },
  };
}
