import type { Redis } from "ioredis";
import { clusterAddress } from "./address.ts";
import { connectCluster, connectPatientCluster } from "./cluster.ts";
import { connectBlockingRedis, connectRedis } from "./connect.ts";
import { anyNode, masters, type RedisConnection } from "./nodes.ts";

const ALL_READY_WITHIN_MS = 2_000;

/**
 * Opens the connection for requests, to the server or the cluster that `url` names: it fails at once while Redis is
 * away, and after `deadlineMs` when it begins to hang. Rejects when nothing answers; of a cluster some masters may be
 * missing, whose keys are then unavailable.
 */
export async function openRedis(options: {
  url: string;
  deadlineMs: number;
  onError: (err: Error) => void;
}): Promise<RedisConnection> {
  const address = clusterAddress(options.url);
  if (!address) {
    const redis = connectRedis(options);
    return redis.connect().then(
      () => redis,
      (err: unknown) => failed(redis, err),
    );
  }
  const cluster = connectCluster(address, options);
  try {
    await cluster.connect();
    await Promise.all(masters(cluster).map(ready));
    anyNode(cluster);
    return cluster;
  } catch (err) {
    return failed(cluster, err);
  }
}

/** A connection of BullMQ's: it waits through an absence. Not connected yet. */
export function patientRedis(options: { url: string; onError: (err: Error) => void }): RedisConnection {
  const address = clusterAddress(options.url);
  return address ? connectPatientCluster(address, options) : connectBlockingRedis(options);
}

function failed(redis: RedisConnection, err: unknown): never {
  redis.disconnect();
  throw err;
}

function ready(node: Redis): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ALL_READY_WITHIN_MS);
    function done(): void {
      clearTimeout(timer);
      node.off("ready", done);
      resolve();
    }
    if (node.status === "ready") done();
    else node.once("ready", done);
  });
}
