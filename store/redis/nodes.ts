import { type Cluster, Command, Redis } from "ioredis";
import { unavailable } from "../../contract/errors.ts";
import { nodeOptions } from "./cluster.ts";
import { isCircuitOpen } from "./fail-fast.ts";

/** The connection for requests: one server, or a cluster in which each key has its node. */
export type RedisConnection = Redis | Cluster;

/**
 * The connection to exactly the server that holds `key`, which follows no redirection: a command on it runs there or not at all.
 * Throws unavailable while that server is unavailable or unknown.
 */
export function nodeOf(redis: RedisConnection, key: string): Redis {
  if (redis instanceof Redis) return redis;
  const address = addressFor(redis, key);
  const node = masters(redis).find((master) => addressOf(master) === address);
  if (node?.status !== "ready") throw nodeAway(`the node of ${key}`);
  return node;
}

/**
 * A server for commands without a key: preferably one that replies and isn't at the address `unlike`. Throws
 * unavailable when there is none.
 */
export function anyNode(redis: RedisConnection, { unlike }: { unlike?: string | null } = {}): Redis {
  if (redis instanceof Redis) return redis;
  const there = masters(redis).filter(({ status }) => status === "ready");
  const answering = there.filter((node) => !isCircuitOpen(node));
  const others = answering.filter((node) => addressOf(node) !== unlike);
  const [best = []] = [others, answering, there].filter(({ length }) => length > 0);
  const chosen = best[Math.floor(Math.random() * best.length)];
  if (!chosen) throw nodeAway("all nodes");
  return chosen;
}

/** All servers that accept writes. */
export function masters(redis: RedisConnection): Redis[] {
  return redis instanceof Redis ? [redis] : redis.nodes("master");
}

/**
 * A new connection for a reader that blocks: to the single server, where it waits during an outage, or to the node
 * that holds `key` now (null: any node), where it ends when that node is lost, since the key may have moved then.
 * Not connected yet. Throws unavailable when no such node is known.
 */
export function openBlockingReader(
  redis: RedisConnection,
  key: string | null,
  {
    silentMs,
    unlike,
  }: {
    /** Timeout: a connection without a reply for this long is dropped. */
    silentMs?: number;
    /** With `key` null: avoids the node at this address, if there is another. */
    unlike?: string | null;
  } = {},
): Redis {
  const bounded = silentMs === undefined ? {} : { socketTimeout: silentMs };
  if (redis instanceof Redis) {
    const waiting = { enableOfflineQueue: true, maxRetriesPerRequest: null, lazyConnect: true };
    return redis.duplicate({ ...waiting, ...bounded });
  }
  const address =
    key === null ? addressOf(anyNode(redis, { unlike: unlike ?? null })) : addressFor(redis, key);
  const colon = address.lastIndexOf(":");
  return new Redis({
    ...nodeOptions(redis),
    host: address.slice(0, colon),
    port: Number(address.slice(colon + 1)),
    ...bounded,
    lazyConnect: true,
    connectTimeout: 2_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
}

function addressFor(cluster: Cluster, key: string): string {
  const address = cluster.slots[new Command("get", [key]).getSlot() ?? -1]?.[0];
  if (address === undefined) throw nodeAway(`the node of ${key}`);
  return address;
}

/** In the format of the slot table; an IPv6 host contains colons itself. */
export const addressOf = ({ options: { host, port } }: Redis): string => `${host}:${port}`;

const nodeAway = (what: string) => unavailable({ cause: new Error(`${what} is unavailable`) });
