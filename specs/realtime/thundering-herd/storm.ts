import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import type { Db } from "mongodb";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { atOnce } from "../../stress/at-once.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Print } from "../../stress/scenario.ts";
import { seededRandom } from "../../stress/seed.ts";
import { createApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import type { Service } from "../../support/service.ts";
import { openStores } from "../../support/stores.ts";
import { userDoc } from "../../support/user-doc.ts";
import { withService } from "../failures/with-service.ts";
import { openRoomsWorld, talker } from "../rooms/world.ts";
import { now } from "../wire/clock.ts";
import { RoomReader, stamped } from "../wire/room-reader.ts";
import { usageOf } from "../wire/usage.ts";

type StormOptions = {
  seed: number;
  clients: number;
  rooms: number;
  /** Messages in all rooms together, throughout. */
  perSecond: number;
  awayMs: number;
  backWithinMs: number;
  /** Limit for REST reads meanwhile. */
  restP99Ms: number;
};

const READ_EVERY_MS = 20;

/**
 * All clients of a running service lose their sockets at the same moment and reconnect within the window announced to them. They
 * resume without a gap and without reads from the archive, and REST answers meanwhile.
 */
export async function runStorm(options: StormOptions, print: Print) {
  const { clients, awayMs, perSecond } = options;
  const random = seededRandom(options.seed);
  const env = { REALTIME_WORKERS: "2", API_WORKERS: "1", RATE_LIMIT_FACTOR: "1000" };
  return withService(env, async (service) => {
    const world = await openRoomsWorld({
      stores: await openStores(service.env.MONGODB_DATABASE),
      clock: "real",
    });
    const port = Number(service.env.REALTIME_PORT);
    const readers: RoomReader[] = [];
    const enter = (streamId: string, after?: string) => {
      const reader = new RoomReader({ port, streamId, ...(after === undefined ? {} : { after }) });
      readers.push(reader);
      return reader;
    };
    try {
      const streams = await Promise.all(Array.from({ length: options.rooms }, () => world.channel()));
      // REST answers for channels of existing accounts alone.
      await usersCollection.in(world.db).insertMany(streams.map(({ userId }) => userDoc({ _id: userId })));
      const idOf = (i: number) => streams[i % streams.length]?._id ?? "";
      const first = await atOnce(100, [...Array(clients).keys()], async (i) => {
        const reader = enter(idOf(i));
        await eventually(() => reader.isSubscribed, { withinMs: 20_000 });
        return reader;
      });
      let sent = 0;
      const saying = new Set<Promise<unknown>>();
      const talking = setInterval(() => {
        const stream = streams[sent++ % streams.length];
        if (!stream) return;
        const one = world.say(stream, talker(), stamped()).finally(() => void saying.delete(one));
        saying.add(one);
      }, 1_000 / perSecond);
      await pause(awayMs);
      await watchArchive(world.db);
      const before = await look(service);
      const reading = readSteadily(service, idOf(0));

      for (const { socket } of first) socket.cut();
      const cutAt = now();
      await pause(awayMs);
      const returned = await Promise.all(
        first.map(async ({ position, retryAfterMs }, i) => {
          await pause(random() * retryAfterMs);
          return enter(idOf(i), position);
        }),
      );
      const heads = () => Promise.all(streams.map(({ _id }) => world.rooms.position(_id)));
      const goal = (await heads()).map(({ seq }) => seq);
      await eventually(
        () =>
          returned.every(
            ({ seq, isSubscribed }, i) => isSubscribed && (seq ?? 0) >= (goal[i % goal.length] ?? 0),
          ),
        { withinMs: options.backWithinMs * 3, what: "all are back" },
      );
      const backMs = now() - cutAt - awayMs;
      const after = await look(service);
      clearInterval(talking);
      await Promise.all(saying);
      const rest = await reading.stop();
      const archiveReads = await readsOfArchive(world.db);
      await world.rooms.history({ streamId: idOf(0), before: { epoch: 1, seq: 1 }, limit: 1 });

      const figures = {
        clients,
        sent,
        backMs: Math.round(backMs),
        ringReplays: after.ringReplays - before.ringReplays,
        replayReads: after.replayReads - before.replayReads,
        cpuMicros: Math.round(((after.cpuMs - before.cpuMs) * 1_000) / clients),
        restRequests: rest.took.length,
        restP99Ms: percentile(rest.took, 0.99),
        archiveReads,
      };
      print(JSON.stringify(figures));
      expect(await readsOfArchive(world.db), "a look into the archive is noticed").greaterThan(archiveReads);
      for (const { missing, repeated, recovered } of returned) {
        expect({ missing, repeated, recovered }).deep.equal({ missing: 0, repeated: 0, recovered: true });
      }
      expect(rest.failed, "REST reads that failed").deep.equal([]);
      expect(archiveReads, "looks into the archive").equal(0);
      expect(after.workers, "no worker has died").deep.equal(before.workers);
      expect(figures.backMs, "all are back, ms").most(options.backWithinMs);
      expect(figures.restP99Ms, "REST's p99, ms").most(options.restP99Ms);
      return figures;
    } finally {
      for (const { socket } of readers) socket.cut();
      await world.close();
    }
  });
}

/** The realtime workers, their CPU time, and their reads for resuming clients. */
async function look(service: Service) {
  const pids = service.workers().flatMap(({ kind, pid }) => (kind === "realtime" ? [pid] : []));
  const metrics = await (await fetch(`${service.internal}/metrics`)).text();
  const counted = (name: string) =>
    [...metrics.matchAll(new RegExp(`^livecore_gateway_${name}_total(?:\\{[^}]*\\})? (\\d+)`, "gm"))].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  return {
    workers: pids,
    cpuMs: pids.reduce((sum, pid) => sum + usageOf(pid).cpuMs, 0),
    ringReplays: counted("ring_replays"),
    replayReads: counted("replay_reads"),
  };
}

/** Makes MongoDB profile every read of archived messages from now on. */
async function watchArchive(db: Db): Promise<void> {
  await db.command({ profile: 2, filter: { ns: `${db.databaseName}.chat_messages`, op: "query" } });
}

function readsOfArchive(db: Db): Promise<number> {
  return db
    .collection("system.profile")
    .countDocuments({ ns: `${db.databaseName}.chat_messages`, op: "query" });
}

/** Reads a stream repeatedly; records how long each read took, ms. */
function readSteadily(service: Service, streamId: string) {
  const api = createApi(service.http);
  const took: number[] = [];
  const failed: unknown[] = [];
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) {
      const startedAt = now();
      const answer = await api.call("getViewerCount", { params: { stream_id: streamId } });
      took.push(now() - startedAt);
      if (answer.status !== 200) failed.push(answer);
      await pause(READ_EVERY_MS);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await done;
      return { took, failed };
    },
  };
}
