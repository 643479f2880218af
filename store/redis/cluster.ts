import { Cluster, type Redis } from "ioredis";
import { PEER_DEADLINES_MS } from "../../base/peer-deadlines.ts";
import type { ClusterAddress, Credentials } from "./address.ts";
import { coalesceWrites } from "./coalesce-writes.ts";
import { failFast } from "./fail-fast.ts";

const REFRESH_MS = 2_000;
const retryStrategy = (times: number) => Math.min(50 * times, 500);

/**
 * A connection to a Redis Cluster that behaves like one to a single server: a command fails at once while its own node is
 * unavailable, and after `deadlineMs` when the node starts to hang; commands to other nodes aren't affected.
 *
 * 1. Every master's connection is opened as soon as the master is known, and reconnects by itself.
 * 2. The slot table is refreshed every 2 s and whenever a node is lost, so that a failover is noticed before a request
 *    runs into it.
 * 3. When no known node replies, the seed addresses are resolved again: all nodes may have moved.
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
    // A queued command would be sent to whichever server has that address next.
    node.options.enableOfflineQueue = false;
    coalesceWrites(node);
    failFast(node, deadlineMs);
    node.on("close", () => cluster.refreshSlotsCache());
    if (!node.options.readOnly) node.connect().catch(onError);
  });
  keepFresh(cluster);
  cluster.on("error", onError);
  cluster.on("node error", onError);
  return cluster;
}

/** A connection for BullMQ, whose commands wait during an outage. */
export function connectQueueCluster(
  { seeds, options }: ClusterAddress,
  { onError }: { onError: (err: Error) => void },
): Cluster {
  const cluster = new Cluster(seeds, {
    ...reconnecting,
    retryDelayOnFailover: 200,
    retryDelayOnClusterDown: 500,
    // Waits for seconds instead of failing.
    maxRedirections: 100,
    redisOptions: {
      ...options,
      connectTimeout: 2_000,
      maxRetriesPerRequest: null,
      socketTimeout: PEER_DEADLINES_MS.redisQueueSilence,
    },
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
  // A node's connection reconnects to the same address; nodes that don't come back are dropped when the slot table says so.
  clusterNodeRetryStrategy: retryStrategy,
} as const;

const failingFast = {
  ...reconnecting,
  enableOfflineQueue: false,
  // It would check a node that is still connecting; each node is checked by itself.
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

/** The options that a separate connection to one of the nodes takes over from the cluster. */
export function nodeOptions(cluster: Cluster): Credentials {
  const { username, password, tls } = cluster.options.redisOptions ?? {};
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { tls }),
  };
}
