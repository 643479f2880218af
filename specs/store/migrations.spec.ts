import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { newId } from "../../store/ids.ts";
import { COLLECTIONS } from "../../store/mongo/collections.ts";
import type { Migration } from "../../store/mongo/migrations/migration.ts";
import { MIGRATIONS, runMigrations } from "../../store/mongo/migrations/run.ts";
import { type LogLine, recordingLog } from "../actors/world.ts";
import { openStores, type Stores } from "../support/stores.ts";

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

  it("create every collection with its indexes", async () => {
    await runMigrations(stores.mongo, given);

    for (const [name, indexes] of Object.entries(COLLECTIONS)) {
      const made = await stores.mongo.db.collection(name).indexes();
      expect(made.map((index) => JSON.stringify(index.key)).sort(), name).deep.equal(
        ['{"_id":1}', ...indexes.map((index) => JSON.stringify(index.key))].sort(),
      );
    }
  });

  it("know every collection that a module of the store uses", () => {
    const folder = new URL("../../store/mongo/", import.meta.url);
    const used = readdirSync(folder)
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [
        ...readFileSync(new URL(file, folder), "utf8").matchAll(/collection<\w+>\("(\w+)"\)/g),
      ])
      .map((match) => match[1] ?? "");

    expect(used.length).above(10);
    expect([...new Set(used)].sort()).deep.equal(Object.keys(COLLECTIONS).sort());
  });

  it("are applied once, in order, however many processes start together", async () => {
    const ran: number[] = [];
    const migrations = [1, 2, 3].map(
      (number): Migration => ({ number, name: `step ${number}`, run: async () => void ran.push(number) }),
    );

    await Promise.all(Array.from({ length: 4 }, () => runMigrations(stores.mongo, { ...given, migrations })));
    await runMigrations(stores.mongo, { ...given, migrations });

    expect(ran).deep.equal([1, 2, 3]);
  });

  it("go on behind the one that failed", async () => {
    const ran: number[] = [];
    let broken = true;
    const migrations: Migration[] = [
      { number: 1, name: "first", run: async () => void ran.push(1) },
      {
        number: 2,
        name: "second",
        run: async () => {
          if (broken) throw new Error("no space left");
          ran.push(2);
        },
      },
    ];

    const failed = await runMigrations(stores.mongo, { ...given, migrations }).catch((err: unknown) =>
      String(err),
    );
    broken = false;
    await runMigrations(stores.mongo, { ...given, migrations });

    expect(failed).contain("no space left");
    expect(ran).deep.equal([1, 2]);
  });

  it("refuse a database of a newer release", async () => {
    const newer = { number: 99, name: "of the future", run: async () => undefined };
    await runMigrations(stores.mongo, { ...given, migrations: [...MIGRATIONS, newer] });

    const refused = await runMigrations(stores.mongo, given).catch((err: unknown) => String(err));

    expect(refused).contain("Start the newer release");
  });
});
