import type { Redis } from "ioredis";
import { clusterAddress } from "./address.ts";
import { connectCluster, connectQueueCluster } from "./cluster.ts";
import { connectBlockingRedis, connectRedis } from "./connect.ts";
import { anyNode, masters, type RedisConnection } from "./nodes.ts";

const READY_TIMEOUT_MS = 2_000;

/**
 * Opens the connection for requests, to the server or the cluster that `url` names: commands fail at once while Redis is
 * unavailable, and after `deadlineMs` when it hangs. Rejects when nothing replies; in a cluster some masters may be
 * missing, whose keys are then unavailable.
 */
export async function openRedis(options: {
  url: string;
  deadlineMs: number;
  onError: (err: Error) => void;
  /** Called whenever a connection is ready (again). */
  onReady?: () => void;
}): Promise<RedisConnection> {
  const address = clusterAddress(options.url);
  if (!address) {
    const redis = reporting(connectRedis(options), options);
    return redis.connect().then(
      () => redis,
      (err: unknown) => failed(redis, err),
    );
  }
  const cluster = reporting(connectCluster(address, options), options);
  try {
    await cluster.connect();
    await Promise.all(masters(cluster).map(ready));
    anyNode(cluster);
    return cluster;
  } catch (err) {
    return failed(cluster, err);
  }
}

/** A connection for BullMQ: its commands wait during an outage. Not connected yet. */
export function queueRedis(options: {
  url: string;
  onError: (err: Error) => void;
  onReady?: () => void;
}): RedisConnection {
  const address = clusterAddress(options.url);
  if (address) return reporting(connectQueueCluster(address, options), options);
  return reporting(connectBlockingRedis(options), options);
}

function reporting<Connection extends RedisConnection>(
  redis: Connection,
  { onReady }: { onReady?: () => void },
): Connection {
  if (onReady) redis.on("ready", onReady);
  return redis;
}

function failed(redis: RedisConnection, err: unknown): never {
  redis.disconnect();
  throw err;
}

function ready(node: Redis): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, READY_TIMEOUT_MS);
    function done(): void {
      clearTimeout(timer);
      node.off("ready", done);
      resolve();
    }
    if (node.status === "ready") done();
    else node.once("ready", done);
  });
}
