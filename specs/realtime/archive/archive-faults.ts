import { setTimeout as pause } from "node:timers/promises";
import { connectForMaintenance, connectMongo } from "../../../store/mongo/driver/connect.ts";
import { connectBlockingRedis, connectRedis } from "../../../store/redis/connect.ts";
import { keys, SHARDS } from "../../../store/redis/keys.ts";
import { type Pool, withPool } from "../../stress/children.ts";
import type { Print } from "../../stress/scenario.ts";
import { seededRandom } from "../../stress/seed.ts";
import { bundle } from "../../support/bundle.ts";
import { eventually } from "../../support/eventually.ts";
import { mongodAddress, throughProxy } from "../../support/mongod-address.ts";
import { type OwnValkey, openValkey } from "../../support/own-valkey.ts";
import type { Stores } from "../../support/stores.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";
import { openRoomsWorld } from "../rooms/world.ts";
import { RoomWithKnownState } from "./room-with-known-state.ts";
import { startWitness } from "./witness.ts";

type ArchiveFaultsOptions = {
  seed: number;
  rooms: number;
  /** Number of messages, deletions, bans and clears, over all rooms. */
  happenings: number;
  /** How many archiving processes are killed at random moments; each is replaced at once. */
  kills: number;
  /** How often a process is stopped for `pausedMs` while another takes over, and then continues as if it still had the lease. */
  pauses: number;
  pausedMs: number;
  /** How often the lease is deleted during work, so that two processes work. */
  thefts: number;
  /** How often the consumer group's position is reset, so that all remaining entries are delivered again. */
  repeats: number;
  /** How often MongoDB refuses all connections for `awayMs`. */
  outages: number;
  awayMs: number;
  /** How often Redis is killed and restarted with its data. */
  redisKills: number;
};

type Fault = "kill" | "pause" | "theft" | "repeat" | "outage" | "redisKill";

const PROCESSES = 2;
const WORKER = "specs/realtime/archive/archive-child.ts";
const SETTLES_WITHIN_MS = 60_000;
const LEASE = keys.archiveLease(0);

/**
 * Rooms send, delete, ban and clear while the archiving processes die, freeze, run twice, and lose either store. Afterwards the
 * archive has every acknowledged message exactly once, at its position and in its last state; streams were trimmed, but nothing
 * too early.
 */
export async function runArchiveFaults(options: ArchiveFaultsOptions, print: Print) {
  const valkey = await openValkey();
  const mongod = mongodAddress();
  const proxy = await openTcpProxy(Number(mongod.port));
  const stores = await storesOn(valkey);
  try {
    const input = {
      mongodbUrl: throughProxy(mongod, proxy.port),
      database: stores.mongo.db.databaseName,
      redisUrl: valkey.url,
    };
    const module = await bundle(WORKER);
    return await withPool({ size: PROCESSES, module, input }, (pool) =>
      run({ options, stores, valkey, proxy, pool, print }),
    );
  } finally {
    await stores.mongo.db.dropDatabase();
    await stores.close();
    await proxy.close();
    await valkey.close();
  }
}

type Run = {
  options: ArchiveFaultsOptions;
  stores: Stores;
  valkey: OwnValkey;
  proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  pool: Pool;
  print: Print;
};

async function run({ options, stores, valkey, proxy, pool, print }: Run) {
  const { redis } = stores;
  const random = seededRandom(options.seed);
  const world = await openRoomsWorld({ stores });
  const rooms: RoomWithKnownState[] = [];
  for (let i = 0; i < options.rooms; i++) rooms.push(await RoomWithKnownState.open(world, random));
  await prepare(redis);
  const faults = faultsOf(options, random);
  const witness = startWitness(world.db);
  const startedAt = performance.now();

  const someone = () => pool.at(Math.floor(random() * PROCESSES));

  async function meet(fault: Fault): Promise<void> {
    if (fault === "kill") someone()?.kill();
    else if (fault === "theft") await redis.del(LEASE);
    else if (fault === "repeat") await forget(redis);
    else if (fault === "pause") {
      const paused = someone();
      paused?.kill("SIGSTOP");
      await redis.del(LEASE);
      await pause(options.pausedMs);
      paused?.kill("SIGCONT");
    } else if (fault === "outage") {
      proxy.forwardTo(NOBODY);
      await Promise.all([pause(options.awayMs), ...rooms.map((room) => actRepeatedly(room, 20))]);
      proxy.forwardTo(Number(mongodAddress().port));
    } else {
      await valkey.kill();
      const waiting = rooms.map((room) => actRepeatedly(room, 1));
      await valkey.startAgain();
      await eventually(() => prepare(redis), { withinMs: 20_000 });
      await Promise.all(waiting);
    }
    print(`${fault} after ${rooms.reduce((sum, { sent }) => sum + sent.length, 0)} messages`);
  }

  const each = Math.ceil(options.happenings / rooms.length);
  for (let done = 0; done < each; done++) {
    await Promise.all(rooms.map((room) => room.actAtRandom()));
    const due = faults.findLastIndex(({ at }) => at <= done / each) + 1;
    for (const { kind } of faults.splice(0, due)) await meet(kind);
  }
  for (const { kind } of faults) await meet(kind);
  // So that nobody has to wait until a dead process's lease expires.
  await redis.del(LEASE);

  for (const room of rooms) await eventually(() => room.expectArchived(), { withinMs: SETTLES_WITHIN_MS });
  const messages = rooms.reduce((sum, { sent }) => sum + sent.length, 0);
  const { added, left } = await eventually(() => settled(stores), { withinMs: SETTLES_WITHIN_MS });
  if (added > 2_000 && left > added / 2) throw new Error(`${left} of ${added} entries were never trimmed`);
  const deleted = rooms.reduce((sum, { sent }) => sum + sent.filter(({ isDeleted }) => isDeleted).length, 0);
  const looks = await witness.stop();
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  return { messages, deleted, entries: added, entriesLeft: left, deaths: pool.deaths(), looks, seconds };
}

/** Nobody listens on the discard port. */
const NOBODY = 9;

async function actRepeatedly(room: RoomWithKnownState, happenings: number): Promise<void> {
  for (let i = 0; i < happenings; i++) await room.actAtRandom();
}

function faultsOf(options: ArchiveFaultsOptions, random: () => number): { kind: Fault; at: number }[] {
  const { kills, pauses, thefts, repeats, outages, redisKills } = options;
  const times = (count: number, kind: Fault) => Array.from({ length: count }, () => kind);
  const kinds = [
    ...[...times(kills, "kill"), ...times(pauses, "pause"), ...times(thefts, "theft")],
    ...[...times(repeats, "repeat"), ...times(outages, "outage"), ...times(redisKills, "redisKill")],
  ];
  return kinds.map((kind) => ({ kind, at: random() })).sort((a, b) => a.at - b.at);
}

/** Small stream nodes, so that trimming has an effect; and acknowledged writes are on Redis's disk. */
async function prepare(redis: Stores["redis"]): Promise<void> {
  await redis.config("SET", "stream-node-max-entries", "10");
  await redis.config("SET", "appendfsync", "always");
}

/** Redelivers all entries that still exist. */
async function forget(redis: Stores["redis"]): Promise<void> {
  for (let shard = 0; shard < SHARDS; shard++) {
    try {
      await redis.xgroup("SETID", keys.shardLive(shard), "archive", "0");
    } catch (err) {
      // No process has created the group of this shard yet.
      if (!(err instanceof Error && /NOGROUP|requires the key/.test(err.message))) throw err;
    }
  }
}

/** Throws while any entry is pending. */
async function settled({ redis }: Stores): Promise<{ added: number; left: number }> {
  let [added, left] = [0, 0];
  for (let shard = 0; shard < SHARDS; shard++) {
    const key = keys.shardLive(shard);
    const [pending] = await redis.xpending(key, "archive");
    if (Number(pending) > 0) throw new Error(`${pending} entries of shard ${shard} are not acknowledged`);
    const info: unknown = await redis.xinfo("STREAM", key);
    const field = (name: string) => (Array.isArray(info) ? Number(info[info.indexOf(name) + 1]) : 0);
    added += field("entries-added");
    left += field("length");
  }
  return { added, left };
}

async function storesOn(valkey: OwnValkey): Promise<Stores> {
  const onError = () => undefined;
  const address = {
    url: String(process.env.MONGODB_URL),
    database: `livecore_archive_${process.pid}_${Date.now()}`,
  };
  const mongo = await connectMongo({ ...address, selectionTimeoutMs: 5_000, maxPoolSize: 10 });
  const redis = connectRedis({ url: valkey.url, deadlineMs: 1_000, onError });
  await redis.connect();
  return {
    mongo,
    redis,
    blockingRedis: () => connectBlockingRedis({ url: valkey.url, onError }),
    maintenanceMongo: () => connectForMaintenance(address),
    async close() {
      redis.disconnect();
      await mongo.close();
    },
  };
}
