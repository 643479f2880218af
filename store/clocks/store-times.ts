import type { Db } from "mongodb";
import type { Bounds, Measurement } from "../../base/clock.ts";
import { addressOf, masters, type RedisConnection } from "../redis/nodes.ts";

/** `failure`: why MongoDB didn't answer. */
type Measured = Measurement & { failure: unknown };

/**
 * Asks MongoDB's primary (or mongos) and each master of Redis for its time. Servers that don't answer are left out. `monotonic` is
 * the clock that the bounds are relative to.
 */
export async function measureStoreTimes(
  { db, redis }: { db: Db; redis: RedisConnection | null },
  monotonic: () => number,
): Promise<Measured> {
  const nodes = redis === null ? [] : masters(redis).filter(({ status }) => status === "ready");
  const [ofMongo, ...ofRedis] = await Promise.allSettled([
    bounded(monotonic, async () => ({ ms: (await timeOfMongo(db)).getTime(), resolutionMs: 1 })),
    ...nodes.map(async (node) => {
      const timeOf = async () => {
        const [seconds, micros] = await node.time();
        return { ms: Number(seconds) * 1_000 + Number(micros) / 1_000, resolutionMs: 0 };
      };
      return [addressOf(node), await bounded(monotonic, timeOf)] as const;
    }),
  ]);
  return {
    mongodb: ofMongo.status === "fulfilled" ? ofMongo.value : null,
    redis: new Map(ofRedis.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))),
    failure: ofMongo.status === "rejected" ? ofMongo.reason : null,
  };
}

/** The server read its clock after the question was sent and before the answer came. */
async function bounded(
  monotonic: () => number,
  ask: () => Promise<{ ms: number; resolutionMs: number }>,
): Promise<Bounds> {
  const sentAt = monotonic();
  const { ms, resolutionMs } = await ask();
  return { from: ms - monotonic(), to: ms + resolutionMs - sentAt };
}

/** The clock of `$$NOW`, which needs no collection this way. */
async function timeOfMongo(db: Db): Promise<Date> {
  const { localTime } = await db.admin().command({ hello: 1 }, { readPreference: "primary" });
  if (!(localTime instanceof Date)) throw new Error("MongoDB doesn't tell its time.");
  return localTime;
}
