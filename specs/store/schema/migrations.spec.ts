import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { defineCollection } from "../../../store/mongo/driver/collection.ts";
import { COLLECTIONS } from "../../../store/mongo/generated/collections.ts";
import { missingFrom } from "../../../store/mongo/schema/complete.ts";
import { migrate } from "../../../store/mongo/schema/migrate.ts";
import type { Migration } from "../../../store/mongo/schema/migrations/migration.ts";
import { eventually } from "../../support/eventually.ts";
import { type LogLine, recordingLog } from "../../support/recording-log.ts";
import { openStores, type Stores } from "../../support/stores.ts";

describe("migrations", () => {
  let stores: Stores;
  beforeEach(async () => {
    stores = await openStores(`livecore_spec_migrations_${process.pid}_${newId().slice(-6)}`);
  });
  afterEach(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });

  const lines: LogLine[] = [];
  const given = { clock: { now: () => 1_700_000_000_000 }, log: recordingLog(lines) };

  /** Collections with their indexes and the options of these, as the server has them. */
  async function schemaOf({ mongo: { db } }: Stores) {
    const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
    const described = names.map(async (name) => {
      const indexes = await db.collection(name).indexes();
      return [name, indexes.map((index) => JSON.stringify({ ...index, v: 0, name: "" })).sort()] as const;
    });
    return Object.fromEntries(await Promise.all(described));
  }

  it("look at one collection after the other, so that none waits for a connection on a server that is slow", async () => {
    await migrate(stores.mongo, given);
    const watched = await openStores(stores.mongo.db.databaseName, { monitorCommands: true });
    const underWay = new Set<number>();
    let most = 0;
    watched.mongo.client.on("commandStarted", ({ requestId }) => {
      most = Math.max(most, underWay.add(requestId).size);
    });
    watched.mongo.client.on("commandSucceeded", ({ requestId }) => void underWay.delete(requestId));

    await migrate(watched.mongo, given).finally(() => watched.close());

    expect(most).equal(1);
  });

  it("report a new database in one line, and of one with migrations each part that was missing, however many", async () => {
    const { db } = stores.mongo;
    const reported = () =>
      lines.splice(0).filter(({ level, fields }) => level === "info" && !("number" in fields));
    lines.length = 0;
    await migrate(stores.mongo, given);
    expect(reported().map(({ message }) => message)).deep.equal(["a new database is being set up"]);

    const dropped = COLLECTIONS.map(({ name }) => name).filter((name) => name !== "migrations");
    for (const name of dropped) await db.collection(name).drop();
    await migrate(stores.mongo, given);
    const completed = reported();
    expect(completed.length).least(dropped.length);
    expect(completed.every(({ message }) => message === "the database was completed")).equal(true);
  });

  it("make every collection with its indexes, in a new database as in one of an older release", async () => {
    const old = await openStores(`livecore_spec_old_${process.pid}_${newId().slice(-6)}`);
    try {
      const { db } = old.mongo;
      await db.createCollection("sessions");
      await db.collection("sessions").createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
      await db.collection("bets").createIndex({ predictionId: 1, _id: 1 });
      await db.collection("users").createIndex({ username: 1 }, { unique: true });
      const applied = [1, 2].map((_id) => ({ _id, name: "of before", appliedAt: new Date() }));
      await db.collection<{ _id: number }>("migrations").insertMany(applied);
      await migrate(old.mongo, given);
      await migrate(stores.mongo, given);

      const [fresh, upgraded] = [await schemaOf(stores), await schemaOf(old)];

      expect({ ...upgraded, migrations: [] }).deep.equal({ ...fresh, migrations: [] });
      for (const { name, indexes } of COLLECTIONS) {
        expect(fresh[name], name).length(indexes.length + 1);
      }
    } finally {
      await old.mongo.db.dropDatabase();
      await old.close();
    }
  });

  it("run as many as there are files of migrations, which are numbered in order", async () => {
    const folder = new URL("../../../store/mongo/schema/migrations/", import.meta.url);
    const files = readdirSync(folder)
      .filter((file) => file !== "migration.ts")
      .sort();

    await migrate(stores.mongo, given);

    const applied = await stores.mongo.db
      .collection<{ _id: number; name: string }>("migrations")
      .find()
      .sort({ appliedAt: 1, _id: 1 })
      .toArray();
    const asFiles = applied.map(
      ({ _id, name }) => `${String(_id).padStart(4, "0")}-${name.replaceAll(" ", "-")}.ts`,
    );
    expect(asFiles).deep.equal(files);
    expect(applied.map(({ _id }) => _id)).deep.equal(files.map((_, index) => index + 3));
  });

  it("leave an operator's own indexes alone, and refuse one of ours with other options", async () => {
    const { db } = stores.mongo;
    await db.collection("users").createIndex({ bio: 1 });
    await migrate(stores.mongo, given);
    expect((await db.collection("users").indexes()).map(({ key }) => key)).deep.include({ bio: 1 });

    await db.collection("users").dropIndex("username_1");
    await db.collection("users").createIndex({ username: 1 });
    const refused = await migrate(stores.mongo, given).catch((err: unknown) => String(err));

    expect(refused).contain('index users {"username":1}').contain("drop it");
  });

  it("keep their lock for as long as they take", async () => {
    let running = 0;
    let most = 0;
    const clock = { now: () => Date.now() };
    const slow: Migration = {
      number: 1,
      name: "slow",
      contracts: false,
      async run(db) {
        most = Math.max(most, ++running);
        // Longer than the lock lasts without being renewed.
        const since = Date.now();
        await eventually(async () => Date.now() - since > 700 && (await db.command({ ping: 1 })) !== null);
        running--;
      },
    };

    const options = { ...given, clock, migrations: [slow], lockMs: 200 };
    await Promise.all([migrate(stores.mongo, options), migrate(stores.mongo, options)]);

    expect(most).equal(1);
  });

  it("keep their lock from a process whose clock is ahead", async () => {
    const other = await openStores(stores.mongo.db.databaseName, { monitorCommands: true });
    let attempts = 0;
    other.mongo.client.on("commandStarted", ({ commandName, command }) => {
      if (command[commandName] === "locks") attempts++;
    });
    let runs = 0;
    const slow: Migration = {
      number: 1,
      name: "slow",
      contracts: false,
      async run() {
        runs++;
        await eventually(() => attempts >= 3 || runs > 1);
      },
    };
    const options = { ...given, migrations: [slow] };
    try {
      const holding = migrate(stores.mongo, { ...options, clock: { now: () => Date.now() } });
      await eventually(() => runs === 1);
      await migrate(other.mongo, { ...options, clock: { now: () => Date.now() + 600_000 } });
      await holding;
    } finally {
      await other.close();
    }

    expect(runs).equal(1);
  });

  it("end where another process has taken over their lock", async () => {
    const ran: number[] = [];
    const overtaken = { _id: "migrations", holder: "another", until: new Date("2126-06-01") };
    const migrations = [1, 2].map(
      (number): Migration => ({
        number,
        name: `step ${number}`,
        contracts: false,
        async run(db) {
          ran.push(number);
          const { _id, ...lock } = overtaken;
          await db.collection<{ _id: string }>("locks").replaceOne({ _id }, lock);
        },
      }),
    );

    const failed = await migrate(stores.mongo, { ...given, migrations }).catch((err: unknown) => String(err));

    expect(failed).contain("Another process has taken over");
    // The process that has taken over records what was done, and keeps its lock.
    expect(ran).deep.equal([1]);
    expect(await stores.mongo.db.collection("migrations").countDocuments()).equal(0);
    expect(await stores.mongo.db.collection("locks").find().toArray()).deep.equal([overtaken]);
  });

  it("give entries a longer life and never a shorter one, whichever release starts last", async () => {
    const { db } = stores.mongo;
    const release = (seconds?: number) => {
      const expiry = seconds === undefined ? {} : { expireAfterSeconds: seconds };
      return [
        defineCollection("sessions", { personal: "none", indexes: [{ key: { expiresAt: 1 }, ...expiry }] }),
      ];
    };
    async function start(seconds?: number) {
      const missing = await missingFrom(db, release(seconds));
      for (const { run } of missing) await run();
      const [, index] = await db.collection("sessions").indexes();
      return { repairs: missing.length > 0, seconds: index?.expireAfterSeconds };
    }
    await start(60);

    expect(await start(999)).deep.equal({ repairs: true, seconds: 999 });
    expect(await start(60)).deep.equal({ repairs: false, seconds: 999 });
    expect(await start()).deep.equal({ repairs: false, seconds: 999 });
  });

  it("know every collection that a module of the store defines, and none is opened by its name", () => {
    const folder = new URL("../../../store/mongo/", import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter(
        (file) =>
          file.endsWith(".ts") && file !== "driver/collection.ts" && !/^(generated|schema)\//.test(file),
      )
      .map((file) => readFileSync(new URL(file, folder), "utf8"));
    const defined = sources
      .flatMap((source) => [...source.matchAll(/defineCollection<[\w<>]+>\(\s*"(\w+)"/g)])
      .map(([, name]) => name);

    expect(defined.sort()).deep.equal(COLLECTIONS.map(({ name }) => name).sort());
    expect(sources.filter((source) => /\.collection[<(]/.test(source))).deep.equal([]);
  });

  it("are applied once, in order, however many processes start together", async () => {
    const ran: number[] = [];
    const migrations = [1, 2, 3].map(
      (number): Migration => ({
        number,
        name: `step ${number}`,
        contracts: false,
        run: async () => void ran.push(number),
      }),
    );

    await Promise.all(Array.from({ length: 4 }, () => migrate(stores.mongo, { ...given, migrations })));
    await migrate(stores.mongo, { ...given, migrations });

    expect(ran).deep.equal([1, 2, 3]);
  });

  it("go on behind the one that failed", async () => {
    const ran: number[] = [];
    let broken = true;
    const migrations: Migration[] = [
      { number: 1, name: "first", contracts: false, run: async () => void ran.push(1) },
      {
        number: 2,
        name: "second",
        contracts: false,
        run: async () => {
          if (broken) throw new Error("no space left");
          ran.push(2);
        },
      },
    ];

    const failed = await migrate(stores.mongo, { ...given, migrations }).catch((err: unknown) => String(err));
    broken = false;
    await migrate(stores.mongo, { ...given, migrations });

    expect(failed).contain("no space left");
    expect(ran).deep.equal([1, 2]);
  });

  it("let an older release start beside a newer one, unless that has taken something away", async () => {
    const newer = { name: "of the future", run: async () => undefined };
    await migrate(stores.mongo, { ...given, migrations: [{ ...newer, number: 98, contracts: false }] });
    await migrate(stores.mongo, given);
    await migrate(stores.mongo, { ...given, migrations: [{ ...newer, number: 99, contracts: true }] });

    const refused = await migrate(stores.mongo, given).catch((err: unknown) => String(err));

    expect(refused).contain("Start the newer release");
  });
});
