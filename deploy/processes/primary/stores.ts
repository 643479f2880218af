import type { Redis } from "ioredis";
import type { Db } from "mongodb";
import type { Log } from "../../../base/log.ts";
import { connectMongo } from "../../../store/mongo/driver/connect.ts";
import { anyNode, masters, type RedisConnection } from "../../../store/redis/nodes.ts";
import { openRedis } from "../../../store/redis/open.ts";
import type { Config } from "../config/config.ts";
import { redactText } from "../process/redaction.ts";
import { StartError } from "../process/start-error.ts";
import { checkFailoverSettings } from "./failover-settings.ts";

/** The primary's own connections: it checks the stores before it forks workers, and for `/readyz`. */
export type StoreProbe = {
  /** "ok" or the reason in words, per store; answers within about a second. */
  check(): Promise<{ mongodb: string; redis: string }>;
  /** Whose clocks this host's is compared with. */
  stores: { db: Db; redis: RedisConnection };
  close(): Promise<void>;
};

const CHECK_WITHIN_MS = 1_000;

/** Throws a StartError when a store doesn't answer or is unsuitable: MongoDB without a replica set, Redis that evicts keys. */
export async function openStoreProbe(config: Config, log: Log): Promise<StoreProbe> {
  const mongo = await openMongo(config, log);
  try {
    const redis = await openChecked(config, log);
    return {
      stores: { db: mongo.db, redis },
      async check() {
        const [mongodb, redisSays] = await Promise.all([inWords(mongo.ping()), inWords(pingOf(redis))]);
        return { mongodb, redis: redisSays };
      },
      async close() {
        redis.disconnect();
        await mongo.close();
      },
    };
  } catch (err) {
    await mongo.close();
    throw err;
  }
}

async function openMongo({ mongo }: Config, log: Log) {
  try {
    const connected = await connectMongo({ ...mongo, selectionTimeoutMs: 5_000, maxPoolSize: 2 });
    const hello = await connected.db.admin().command({ hello: 1 });
    if (hello.setName === undefined && hello.msg !== "isdbgrid") {
      await connected.close();
      throw new StartError(
        "The MongoDB at MONGODB_URL is no replica set, so it has no transactions. Start it with --replSet and initiate the set; one member is enough.",
      );
    }
    // A router has no set of its own.
    if (hello.setName !== undefined) await checkFailoverSettings(connected.db, log);
    return connected;
  } catch (err) {
    if (err instanceof StartError) throw err;
    throw noAnswer("MongoDB", "MONGODB_URL", err);
  }
}

async function openChecked(config: Config, log: Log) {
  let failure: Error | null = null;
  let redis: RedisConnection | null = null;
  try {
    redis = await openRedis({
      url: config.redis.url,
      deadlineMs: CHECK_WITHIN_MS,
      onError: (err) => {
        failure = err;
        log.debug({ err }, "the connection to Redis failed");
      },
    });
    await Promise.all(masters(redis).map((server) => requireFit(server, log)));
    return redis;
  } catch (err) {
    redis?.disconnect();
    if (err instanceof StartError) throw err;
    // Why a connection failed is known only from its error event; the promise says only that it is closed.
    throw noAnswer("Redis", "REDIS_URL", failure ?? err);
  }
}

async function requireFit(server: Redis, log: Log): Promise<void> {
  // Other masters of a cluster may be unavailable for now.
  if (server.status !== "ready") return;
  const policy = await setting(server, "maxmemory-policy");
  if (policy === "unknown") log.warn("Redis doesn't tell its eviction policy; it must be noeviction");
  else if (policy !== "noeviction") {
    throw new StartError(
      `The Redis at REDIS_URL evicts keys (maxmemory-policy ${policy}); rooms and queues need \`noeviction\`.`,
    );
  }
  if ((await setting(server, "cluster-enabled")) !== "yes") return;
  if ((await setting(server, "cluster-require-full-coverage")) === "yes") {
    log.warn(
      "the Redis Cluster stops as a whole when one master is lost (cluster-require-full-coverage yes)",
    );
  }
}

/** A cluster counts as available as long as one master answers; operations on lost shards fail on their own. */
const pingOf = async (redis: RedisConnection): Promise<unknown> => anyNode(redis).ping();

const noAnswer = (title: string, variable: string, err: unknown): StartError =>
  new StartError(
    `The ${title} at ${variable} doesn't answer (${messageOf(err)}). Start it, or correct ${variable}; livecore starts ` +
      "stores of its own when neither is set.",
    { cause: err },
  );

async function setting(server: Redis, name: string): Promise<string> {
  try {
    const answer: unknown = await server.config("GET", name);
    return Array.isArray(answer) && typeof answer[1] === "string" ? answer[1] : "unknown";
  } catch (err) {
    // Hosted servers refuse CONFIG; anything else is a real failure.
    if (err instanceof Error && /unknown command|NOPERM|not allowed/i.test(err.message)) return "unknown";
    throw err;
  }
}

async function inWords(ping: Promise<unknown>): Promise<string> {
  let late: NodeJS.Timeout | undefined;
  const deadline = new Promise<string>((resolve) => {
    late = setTimeout(() => resolve(`no answer within ${CHECK_WITHIN_MS} ms`), CHECK_WITHIN_MS);
  });
  const answer = ping.then(() => "ok", messageOf);
  return Promise.race([answer, deadline]).finally(() => clearTimeout(late));
}

const messageOf = (err: unknown): string => redactText(err instanceof Error ? err.message : String(err));
