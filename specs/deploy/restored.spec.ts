import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { MongoClient } from "mongodb";
import { newId } from "../../base/ids.ts";
import { connectBlockingRedis } from "../../store/redis/connect.ts";
import { type RedisThen, type RestorableService, tellRestore } from "../soak/fleet/restore-story.ts";
import { operate } from "../support/operate.ts";
import { type OwnValkey, openValkey } from "../support/own-valkey.ts";
import { openStores } from "../support/stores.ts";
import { openWorld, type World } from "../support/world.ts";

/** The short form of `npm run soak -- fleet restored`, in one process. */
describe("npm run restored", function () {
  this.timeout(120_000);
  let valkey: OwnValkey;
  let home: string;
  before(async () => {
    valkey = await openValkey();
    home = mkdtempSync(join(tmpdir(), "livecore-restored-"));
  });
  after(async () => {
    await valkey?.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("explains its arguments", async () => {
    for (const args of [
      [],
      ["--backup-time", "yesterday"],
      ["--backup-time", "2026-02-31T04:00:00Z"],
      ["--backup-time", "2026-02-03T24:00:00Z"],
      ["--release", "letters"],
      ["--drop"],
    ]) {
      const { code, stderr } = await operate("deploy/commands/restored", args, {
        home,
        database: "not_used",
      });
      expect([code, stderr.startsWith("Usage: npm run restored -- --backup-time <time>")]).deep.equal([
        2,
        true,
      ]);
    }
  });

  async function withService(tell: (service: RestorableService) => Promise<void>): Promise<void> {
    const database = `livecore_spec_restored_${process.pid}_${newId().slice(-6)}`;
    const client = await new MongoClient(process.env.MONGODB_URL ?? "").connect();
    const redis = connectBlockingRedis({ url: valkey.url, onError: () => undefined });
    await redis.connect();
    await redis.flushall();
    let world: World | null = null;
    async function stop(): Promise<void> {
      await world?.close();
      world = null;
    }
    try {
      await tell({
        async start() {
          world = await openWorld({ stores: () => openStores(database, { redisUrl: valkey.url }) });
          return world.api;
        },
        stop,
        restored: (args) =>
          operate("deploy/commands/restored", args, { home, database, env: { REDIS_URL: valkey.url } }),
        db: client.db(database),
        redis,
        print: () => undefined,
      });
    } finally {
      await stop();
      await client.db(database).dropDatabase();
      await client.close();
      redis.disconnect();
    }
  }

  for (const redisThen of ["newer", "older", "empty"] as const satisfies RedisThen[]) {
    it(`lets nothing act that the database has lost, with a Redis that is ${redisThen}`, () =>
      withService((service) => tellRestore(service, redisThen)));
  }

  it("ends personal API tokens with --end-tokens", () =>
    withService((service) => tellRestore(service, "empty", { endsTokens: true })));

  it("ends with --keep-sessions only those begun or refreshed after the backup's time", () =>
    withService((service) => tellRestore(service, "empty", { keepsSessions: true })));
});
