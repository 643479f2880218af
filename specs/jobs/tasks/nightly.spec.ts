import { expect } from "chai";
import type { Redis } from "ioredis";
import { startNightlyJobs } from "../../../jobs/nightly.ts";
import { connectBlockingRedis } from "../../../store/redis/connect.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { type OwnValkey, openValkey } from "../../support/own-valkey.ts";
import { quietLog } from "../../support/quiet-log.ts";
import type { Stores } from "../../support/stores.ts";

const NIGHTLY_JOBS = 8;
const SCHEDULES = "{bull}:upkeep:repeat";
const DELAYED = "{bull}:upkeep:delayed";
const COMPLETED = "{bull}:upkeep:completed";
/** BullMQ's places in its set of delayed jobs: the time, and 12 bits of order. */
const PLACES_A_MS = 0x1000;

describe("nightly jobs, whose schedules are in Redis,", function () {
  this.timeout(60_000);
  let valkey: OwnValkey;
  let stores: Stores;
  let redis: Redis;
  before(async () => {
    valkey = await openValkey();
    stores = await openOwnStores();
    redis = connect();
  });
  after(async () => {
    redis.disconnect();
    await stores.close();
    await valkey.close();
  });

  const connect = () => connectBlockingRedis({ url: valkey.url, onError: () => undefined });
  const start = () =>
    startNightlyJobs({
      blockingRedis: connect,
      maintenanceDb: stores.mongo.db,
      rooms: { log: { forgetUpTo: async () => undefined } },
      clock: movableClock(),
      log: quietLog(),
      lookEveryMs: 50,
    });
  const scheduled = () => redis.zrange(SCHEDULES, "0", "-1");

  it("are scheduled again after Redis was emptied", async () => {
    const jobs = await start();
    try {
      await eventually(async () => expect(await scheduled()).length(NIGHTLY_JOBS));
      const names = (await scheduled()).sort();

      await redis.flushall();

      await eventually(async () => expect((await scheduled()).sort()).deep.equal(names));
      expect(await redis.zcard(DELAYED)).equal(names.length);
    } finally {
      await jobs.stop();
    }
  });

  it("run late, all of them, when nobody was there at their time", async () => {
    const before = await start();
    await eventually(async () => expect(await redis.zcard(DELAYED)).equal(NIGHTLY_JOBS));
    await before.stop();
    const passed = String((Date.now() - 1_000) * PLACES_A_MS);
    const due = await redis.zrange(DELAYED, "0", "-1");
    for (const id of due) await redis.zadd(DELAYED, "XX", passed, id);

    const jobs = await start();
    try {
      await eventually(async () => expect(await redis.zrange(COMPLETED, "0", "-1")).members(due), {
        withinMs: 15_000,
      });
      expect(await redis.zcard(DELAYED)).equal(NIGHTLY_JOBS);
    } finally {
      await jobs.stop();
    }
  });
});
