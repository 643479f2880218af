import { Cluster, type Redis } from "ioredis";
import type { ClusterAddress, Credentials } from "./address.ts";
import { failFast } from "./fail-fast.ts";
import { joinWrites } from "./join-writes.ts";

const REFRESH_MS = 2_000;
const retryStrategy = (times: number) => Math.min(50 * times, 500);

/**
 * A connection to a Redis Cluster that behaves like one to a server: a command fails at once while its own node is
 * away, and after `deadlineMs` when that begins to hang; the other nodes' commands don't notice.
 *
 * 1. Every master's connection is opened as soon as it is known, and opened again by itself after a loss.
 * 2. The table of slots is refreshed every 2 s and whenever a node is lost, so that a failover is found without a
 *    request that runs into it.
 * 3. When no known node answers, the seed addresses are resolved again: all nodes may have moved.
 */
export function connectCluster(
  { seeds, options }: ClusterAddress,
  { deadlineMs, onError }: { deadlineMs: number; onError: (err: Error) => void },
): Cluster {
  const cluster = new Cluster(seeds, {
    ...failingFast,
    redisOptions: { ...options, connectTimeout: 2_000, maxRetriesPerRequest: 0 },
  });
  cluster.on("+node", (node: Redis) => {
    // A queued command would be sent to the next server at that address.
    node.options.enableOfflineQueue = false;
    joinWrites(node);
    failFast(node, deadlineMs);
    node.on("close", () => cluster.refreshSlotsCache());
    if (!node.options.readOnly) node.connect().catch(onError);
  });
  keepFresh(cluster);
  cluster.on("error", onError);
  cluster.on("node error", onError);
  return cluster;
}

/** One for BullMQ, whose commands wait through an absence. */
export function connectPatientCluster(
  { seeds, options }: ClusterAddress,
  { onError }: { onError: (err: Error) => void },
): Cluster {
  const cluster = new Cluster(seeds, {
    ...reconnecting,
    retryDelayOnFailover: 200,
    retryDelayOnClusterDown: 500,
    // Waits for seconds rather than failing.
    maxRedirections: 100,
    redisOptions: { ...options, connectTimeout: 2_000, maxRetriesPerRequest: null },
  });
  keepFresh(cluster);
  cluster.on("error", onError);
  cluster.on("node error", onError);
  return cluster;
}

const reconnecting = {
  lazyConnect: true,
  slotsRefreshTimeout: 1_000,
  clusterRetryStrategy: retryStrategy,
  // Its own nodes come back where they were; those that don't are dropped when the slots say so.
  clusterNodeRetryStrategy: retryStrategy,
} as const;

const failingFast = {
  ...reconnecting,
  enableOfflineQueue: false,
  // It would ask a node that is only being connected; each node is checked by itself.
  enableReadyCheck: false,
  maxRedirections: 4,
  retryDelayOnMoved: 0,
  retryDelayOnTryAgain: 20,
  // 0 = no retry: the caller gets the error at once, and may retry.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
} as const;

function keepFresh(cluster: Cluster): void {
  const timer = setInterval(() => {
    if (cluster.status !== "ready") return;
    cluster.refreshSlotsCache((err) => {
      if (err && cluster.status === "ready") cluster.disconnect(true);
    });
  }, REFRESH_MS);
  timer.unref();
  cluster.on("end", () => clearInterval(timer));
}

/** What a connection of its own to one of the nodes takes over from the cluster. */
export function nodeOptions(cluster: Cluster): Credentials {
  const { username, password, tls } = cluster.options.redisOptions ?? {};
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { tls }),
  };
}
