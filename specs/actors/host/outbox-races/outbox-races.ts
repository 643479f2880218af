import { createOutbox } from "../../../../actors/host/outbox.ts";
import { processClock } from "../../../../base/clock.ts";
import { inTransaction } from "../../../../store/mongo/driver/transaction.ts";
import { connectRedis } from "../../../../store/redis/connect.ts";
import { type Pool, withPool } from "../../../stress/children.ts";
import { seededRandom } from "../../../stress/seed.ts";
import { bundle } from "../../../support/bundle.ts";
import { eventually } from "../../../support/eventually.ts";
import { type OwnValkey, openValkey } from "../../../support/own-valkey.ts";
import { openWorld, type World } from "../world.ts";
import { type Input, isRepeat, type Order } from "./messages.ts";
import { checkComplete, checkOrder, nameOf, type RoomLog, type Row, readLogs } from "./record.ts";

type OutboxRacesOptions = {
  seed: number;
  /** Each publishes to one of the rooms. */
  sources: number;
  rooms: number;
  commits: number;
  /** Number of publishers that die: half of them between publishing a row and deleting it, half at any moment. */
  deaths: number;
  /** How often Redis is killed and restarted with its data. */
  outages: number;
  /** How often Redis loses everything. */
  flushes: number;
};

const PUBLISHERS = 3;
/** Concurrent commits, each of another source. */
const WAVE = 8;
const SETTLES_WITHIN_MS = 90_000;

type Fault = "death" | "kill" | "outage" | "flush";

/**
 * Publishers and their relays concurrently publish the same outbox to real rooms; they die, and Redis goes away. Afterwards every
 * committed row is in its room's log exactly once and in the order of its source. Where Redis lost everything in between, one log
 * ended and another one began: then no row is missing in both, each log has it at most once and in order, and a row in both had
 * been published but not deleted yet. Throws otherwise.
 */
export async function runOutboxRaces(options: OutboxRacesOptions, print: (line: string) => void) {
  const module = await bundle("specs/actors/host/outbox-races/publisher.ts");
  const valkey = await openValkey();
  const world = await openWorld();
  const redis = connectRedis({ url: valkey.url, deadlineMs: 10_000, onError: () => undefined });
  try {
    await redis.connect();
    await loseNothing(redis);
    const input: Input = { database: world.mongo.db.databaseName, redisUrl: valkey.url };
    let repeats = 0;
    const onMessage = (message: unknown) => {
      if (isRepeat(message)) repeats++;
    };
    return await withPool({ size: PUBLISHERS, module, input, onMessage }, async (pool) => {
      const figures = await race({ options, world, pool, valkey, redis, print });
      return { ...figures, repeatsDropped: repeats };
    });
  } finally {
    redis.disconnect();
    await world.close();
    await valkey.close();
  }
}

type Race = {
  options: OutboxRacesOptions;
  world: World;
  pool: Pool;
  valkey: OwnValkey;
  redis: ReturnType<typeof connectRedis>;
  print: (line: string) => void;
};

async function race({ options, world, pool, valkey, redis, print }: Race) {
  const random = seededRandom(options.seed);
  const pick = (below: number) => Math.floor(random() * below);
  const rooms: string[] = [];
  for (let i = 0; i < options.rooms; i++) rooms.push((await world.stream())._id);
  const faults = faultsOf(options, pick);
  const written: Row[] = [];
  const lost: RoomLog[] = [];
  const write = writerIn(world, rooms);
  const startedAt = performance.now();

  /** Lost when that publisher is dying: then the relays take over, as for any process that dies. */
  const send = (place: number, order: Order) => pool.at(place)?.send(order);

  async function meet(fault: Fault): Promise<void> {
    if (fault === "death") send(pick(PUBLISHERS), { dieAfter: 1 + pick(4) });
    else if (fault === "kill") pool.at(pick(PUBLISHERS))?.kill();
    else if (fault === "flush") lost.push(...(await readLogs(redis, rooms, true)));
    else {
      await valkey.kill();
      // Continues writing meanwhile: commits wait.
      for (let i = 0; i < 5; i++) written.push(...(await write(pick(options.sources), 1 + pick(3))));
      await valkey.startAgain();
      await eventually(() => loseNothing(redis), { withinMs: 20_000 });
    }
    print(`${fault} after ${written.length} rows`);
  }

  for (let commit = 0; commit < options.commits; commit += WAVE) {
    const sources = new Set(Array.from({ length: WAVE }, () => pick(options.sources)));
    const orders = [...sources].map((source) => ({ source, rows: 1 + pick(3), who: pick(PUBLISHERS + 1) }));
    await Promise.all(
      orders.map(async ({ source, rows, who }) => {
        written.push(...(await write(source, rows)));
        // One in four behaves as if it died right after its commit: only the relays publish its rows.
        if (who < PUBLISHERS) send(who, { publish: sourceName(source) });
      }),
    );
    for (const fault of faults.splice(0, faults.findLastIndex(({ at }) => at <= commit) + 1))
      await meet(fault.kind);
  }

  const outbox = world.mongo.db.collection("outbox");
  await eventually(async () => (await outbox.countDocuments()) === 0, {
    withinMs: SETTLES_WITHIN_MS,
    what: "every row is published and deleted",
  });
  const logs = await readLogs(redis, rooms);
  for (const log of [...logs, ...lost]) checkOrder(log);
  const inBoth = checkComplete(written, [...logs, ...lost]);
  if (options.flushes === 0 && inBoth > 0) throw new Error(`${inBoth} rows are in a log twice`);
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  return { rows: written.length, deaths: pool.deaths(), duplicatesAfterFlush: inBoth, seconds };
}

/** Evenly spread over the run, in an order by the seed. */
function faultsOf(options: OutboxRacesOptions, pick: (below: number) => number) {
  const { deaths, outages, flushes, commits } = options;
  const kinds: Fault[] = [
    ...Array.from({ length: deaths }, (_, i): Fault => (i % 2 === 0 ? "death" : "kill")),
    ...Array.from({ length: outages }, (): Fault => "outage"),
    ...Array.from({ length: flushes }, (): Fault => "flush"),
  ];
  const shuffled = kinds.map((kind) => ({ kind, rank: pick(1e9) })).sort((a, b) => a.rank - b.rank);
  return shuffled.map(({ kind }, i) => ({ kind, at: ((i + 1) * commits) / (kinds.length + 1) }));
}

const sourceName = (source: number) => `prediction:source-${source}`;

/** Writes the rows of one commit of a source, as its actor would. */
function writerIn(world: World, rooms: string[]) {
  const unused = () => Promise.reject(new Error("here nobody publishes"));
  const { mongo, deps } = world;
  const outbox = createOutbox({
    mongo,
    clock: processClock,
    log: deps.log,
    publishRoom: unused,
    publishUsers: unused,
  });
  const versions = new Map<number, number>();
  return async (source: number, count: number): Promise<Row[]> => {
    const version = (versions.get(source) ?? 0) + 1;
    versions.set(source, version);
    const target = { room: rooms[source % rooms.length] ?? "" };
    const rows = Array.from({ length: count }, (_, n): Row => ({ source: sourceName(source), version, n }));
    const drafts = rows.map((row) => ({
      actor: row.source,
      version,
      n: row.n,
      target,
      type: "chat.message_deleted" as const,
      data: { uuid: nameOf(row) },
    }));
    await inTransaction(mongo.client, (session) => outbox.write(drafts, session));
    return rows;
  };
}

/** Makes Redis fsync each write: this run covers the loss of Redis, not of its last second. */
async function loseNothing(redis: Race["redis"]): Promise<void> {
  await redis.config("SET", "appendfsync", "always");
}
