import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Redis } from "ioredis";
import { type Db, MongoClient } from "mongodb";
import { VERIFIED_MS } from "../../../actors/accounts/tokens/verified-sessions.ts";
import { newId } from "../../../base/ids.ts";
import { connectBlockingRedis } from "../../../store/redis/connect.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { createApi } from "../../support/api.ts";
import { backUpDatabase } from "../../support/backup.ts";
import { movableClock } from "../../support/clock.ts";
import { MASTER_KEY } from "../../support/core.ts";
import { eventually } from "../../support/eventually.ts";
import { CheckedSocket } from "../../support/frames/checked-socket.ts";
import { givenChannels } from "../../support/given-channels.ts";
import { operate } from "../../support/operate.ts";
import { openValkey } from "../../support/own-valkey.ts";
import { type Service, serviceHarness } from "../../support/service.ts";

import { tellRestore } from "./restore-story.ts";

/** Besides the minute: a look at the sockets every 10 s, and a busy machine. */
const LATE_MS = 15_000;

type Stores = { db: Db; redis: Redis; database: string; redisUrl: string };

/**
 * Two hosts whose database is restored from a backup: with `npm run restored` in between and a Redis that is newer, older or empty;
 * and under the running hosts, which refuse within a minute what the database has lost.
 */
export async function runRestored(_options: object, print: Print): Promise<Figures> {
  const figures: Figures = {};
  for (const redisThen of ["newer", "older", "empty"] as const)
    await withStores((stores) =>
      withHosts(stores, async ({ start, stop, restored }) => {
        const { db, redis } = stores;
        const service = { stop, restored, db, redis, print };
        await tellRestore({ ...service, start: async () => createApi((await start())[0].http) }, redisThen);
        figures[redisThen] = 1;
      }),
    );
  await withStores((stores) =>
    withHosts(stores, async ({ start }) => {
      print("restore under running hosts");
      Object.assign(figures, await restoreUnder(await start(), stores.db));
    }),
  );
  return figures;
}

/** How long a session that the database has lost acts on each host, and on a socket. */
async function restoreUnder([one, other]: [Service, Service], db: Db): Promise<Figures> {
  const given = givenChannels({ api: createApi(one.http), clock: movableClock(), ingestKey: "" });
  const owner = await given.user();
  const restore = await backUpDatabase(db);
  const lost = await given.user();
  const follows = async ({ http }: Service) =>
    createApi(http)
      .as({ token: lost.token })
      .call("followUser", { params: { user_id: owner.id } });
  // So that both have verified the session.
  for (const host of [one, other]) expect((await follows(host)).status).equal(200);
  const { ticket } = await lost.api.ok("createWsTicket");
  const socket = new CheckedSocket(`${other.http.replace("http", "ws")}/v1/ws?ticket=${ticket}`);
  await new Promise((opened, failed) => socket.once("open", opened).once("error", failed));

  await restore();
  const restoredAt = performance.now();
  const within = { withinMs: VERIFIED_MS + LATE_MS };
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  const since = () => Math.round(performance.now() - restoredAt);
  const refused = async (host: Service) => {
    await eventually(async () => (await follows(host)).code === "invalid_token", {
      ...within,
      what: "the lost session is refused",
    });
    return since();
  };
  const ended = closed.then((code) => ({ code, ms: since() }));
  const [oneMs, otherMs, { code, ms: socketMs }] = await Promise.all([refused(one), refused(other), ended]);
  expect(code).equal(4009);
  expect(socketMs).lessThan(within.withinMs);
  return { refusedMs: Math.max(oneMs, otherMs), socketMs };
}

async function withStores(use: (stores: Stores) => Promise<void>): Promise<void> {
  const database = `livecore_restored_${process.pid}_${newId().slice(-6)}`;
  const valkey = await openValkey();
  const client = await new MongoClient(process.env.MONGODB_URL ?? "").connect();
  const redis = connectBlockingRedis({ url: valkey.url, onError: () => undefined });
  try {
    await redis.connect();
    await use({ db: client.db(database), redis, database, redisUrl: valkey.url });
  } finally {
    await client.db(database).dropDatabase();
    await client.close();
    redis.disconnect();
    await valkey.close();
  }
}

type Hosts = {
  start(): Promise<[Service, Service]>;
  stop(): Promise<void>;
  restored(args: string[]): ReturnType<typeof operate>;
};

async function withHosts(
  { database, redisUrl }: Stores,
  use: (hosts: Hosts) => Promise<void>,
): Promise<void> {
  const harness = serviceHarness("deploy/main.ts");
  const home = mkdtempSync(join(tmpdir(), "livecore-restored-"));
  const env = { MONGODB_DATABASE: database, REDIS_URL: redisUrl, MASTER_KEY, LOG_LEVEL: "warn" };
  let running: Service[] = [];
  async function host(): Promise<Service> {
    const started = await harness.start(env);
    await started.ready();
    started.workers();
    running.push(started);
    return started;
  }
  try {
    await use({
      start: async () => [await host(), await host()],
      async stop() {
        for (const { signal } of running) signal("SIGTERM");
        await Promise.all(running.map(({ ended }) => ended));
        running = [];
      },
      restored: (args) =>
        operate("deploy/commands/restored", args, { home, database, env: { REDIS_URL: redisUrl } }),
    });
  } finally {
    await harness.end();
    rmSync(home, { recursive: true, force: true });
  }
}
