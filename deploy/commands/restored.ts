import { createSealing } from "../../actors/keys/sealing.ts";
import { HELD, type Held, heldOutboxesIn, type Waiting } from "../../actors/restore/held-outboxes.ts";
import { afterRestore, type Restored, type RestoreOrder } from "../../actors/restore/restore.ts";
import { createAudit } from "../../base/audit.ts";
import { processClock } from "../../base/clock.ts";
import { connectMongo, type Mongo, workersNameOn } from "../../store/mongo/driver/connect.ts";
import { connectedWorkers } from "../../store/mongo/driver/connected-workers.ts";
import { openRedis } from "../../store/redis/open.ts";
import type { Config } from "../processes/config/config.ts";
import { commandLogger } from "../processes/process/logger.ts";
import { followMongoTime } from "../processes/process/required-clocks.ts";
import { StartError } from "../processes/process/start-error.ts";
import { masterKeysOf } from "../processes/workers/master-keys.ts";
import { runCommand } from "./command.ts";
import { printable } from "./printable.ts";

const USAGE = `Usage: npm run restored -- --backup-time <time> [--keep-sessions] [--end-tokens]
       npm run restored -- --list
       npm run restored -- --release ${HELD.join("|")} [<id> …]
       npm run restored -- --drop ${HELD.join("|")} [<id> …]

Run the first after the database was restored, before the service starts; <time> is when the backup was begun, as
2026-01-31T04:00:00Z. The others let go out what waited in the backup, or drop it: all, or those ids (docs/backup.md).`;

type Order =
  | ({ act: "restored" } & RestoreOrder)
  | { act: "list" }
  | { act: "release" | "drop"; what: Held; ids: readonly string[] | null };

const OPTIONS = ["--keep-sessions", "--end-tokens"];
const TIME = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;
/** Moments of slow commands: a scan's page, or a ban per field. */
const REDIS_DEADLINE_MS = 10_000;

function orderOf([option, value, ...rest]: string[]): Order | null {
  if (option === "--list" && value === undefined) return { act: "list" };
  if (option === "--release" || option === "--drop") {
    const what = HELD.find((one) => one === value);
    if (!what) return null;
    return { act: option === "--drop" ? "drop" : "release", what, ids: rest.length === 0 ? null : rest };
  }
  const backupTime = option === "--backup-time" ? timeOf(value ?? "") : null;
  if (backupTime === null || rest.some((one) => !OPTIONS.includes(one))) return null;
  return {
    act: "restored",
    backupTime,
    keepsSessions: rest.includes("--keep-sessions"),
    endsTokens: rest.includes("--end-tokens"),
  };
}

/** Null: no time, or a day that doesn't exist, which Date takes for one of the next month. */
function timeOf(text: string): Date | null {
  const day = TIME.exec(text)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(text))) return null;
  const midnight = new Date(`${day}T00:00Z`);
  return midnight.toISOString().startsWith(day) ? new Date(text) : null;
}

async function run(config: Config, order: Order): Promise<number> {
  const log = commandLogger("restored");
  const audit = createAudit(log);
  const { url, database } = config.mongo;
  const appName = `${workersNameOn(database)} restored`;
  const connection = {
    url,
    database,
    appName,
    selectionTimeoutMs: 5_000,
    maxPoolSize: 4,
    socketTimeoutMs: 0,
  };
  const mongo = await connectMongo(connection);
  try {
    await followMongoTime(mongo.db);
    const held = heldOutboxesIn({ mongo, audit, clock: processClock });
    if (order.act === "release" || order.act === "drop") {
      const count = await held[order.act](order.what, order.ids);
      console.log(`${count} ${order.what} ${order.act === "drop" ? "dropped" : "released"}.`);
    }
    if (order.act === "restored") {
      if (order.backupTime.getTime() > processClock.now())
        throw new StartError("The backup's time is in the future.");
      const redis = await openRedis({
        url: config.redis.url,
        deadlineMs: REDIS_DEADLINE_MS,
        onError: () => undefined,
      });
      try {
        const sealing = createSealing(masterKeysOf(config));
        const deps = { mongo, redis, clock: processClock, audit, sealing, held };
        const restored = await afterRestore(
          { ...deps, requireNoWorkers: () => requireNoWorkers(mongo, database) },
          order,
        );
        report(restored, order);
      } finally {
        redis.disconnect();
      }
    }
    list(await held.waiting());
    return 0;
  } finally {
    await mongo.close();
  }
}

/** They have in memory what the restored database hasn't, and would send what has to be held first. */
async function requireNoWorkers(mongo: Mongo, database: string): Promise<void> {
  const workers = await connectedWorkers(mongo, workersNameOn(database));
  if (workers.length === 0) return;
  throw new StartError(
    `The service still runs: ${workers.length} connections to the database ${database}, the first from ${workers[0]}. Stop every host first.`,
  );
}

function report(
  { isNew, sessions, grants, bans }: Restored,
  { keepsSessions, endsTokens }: RestoreOrder,
): void {
  if (!isNew) {
    console.log("This was done before for that backup: nothing was changed.");
    return;
  }
  console.log("Access tokens: all are void; new keys sign.");
  console.log(
    `Sessions: ${sessions} ended${keepsSessions ? "; those that were refreshed since the backup end when they come" : ""}.`,
  );
  console.log(
    `API tokens: ${grants} ended${endsTokens ? "" : ", those for embedded chats; others that their owners removed since the backup are valid again (--end-tokens ends all)"}.`,
  );
  console.log(`Rooms: ${bans} chat bans written back from Redis; each begins a new epoch.`);
  console.log("Files that nothing refers to: kept for 30 days.");
}

function list(waiting: readonly Waiting[]): void {
  for (const { what, count, first } of waiting) {
    console.log(`Held ${what}: ${count}`);
    for (const { _id, createdAt, kind } of first)
      console.log(`  ${createdAt.toISOString()}  ${printable(kind)}  ${printable(_id)}`);
    if (count > first.length) console.log(`  … and ${count - first.length} more`);
  }
}

await runCommand({ usage: USAGE, orderOf }, run);
