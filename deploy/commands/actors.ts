import { defineAll } from "../../actors/generated/lifecycles.ts";
import {
  createParkedAdmin,
  type Parked,
  type ParkedActor,
  type Release,
} from "../../actors/host/parked-admin.ts";
import { silentMeter } from "../../base/metrics.ts";
import { connectMongo } from "../../store/mongo/driver/connect.ts";
import type { ParkedRows } from "../../store/mongo/host/outbox.ts";
import type { Config } from "../processes/config/config.ts";
import { commandLogger } from "../processes/process/logger.ts";
import { runCommand } from "./command.ts";
import { printable } from "./printable.ts";

const USAGE = "Usage: npm run actors -- parked | release <actor>";

type Order = { act: "parked" } | { act: "release"; name: string };

function orderOf([act, name, ...rest]: string[]): Order | null {
  if (act === "parked" && name === undefined) return { act };
  if (act === "release" && name && rest.length === 0) return { act, name };
  return null;
}

async function run({ mongo: { url, database } }: Config, order: Order): Promise<number> {
  const mongo = await connectMongo({ url, database, selectionTimeoutMs: 5_000, maxPoolSize: 4 });
  try {
    const log = commandLogger("actors");
    const parked = createParkedAdmin({
      mongo,
      machines: Object.values(
        defineAll({
          db: mongo.db,
          log,
          meter: silentMeter(),
          // Nothing is decided here.
          showsRaidMessage: async () => false,
        }),
      ),
    });
    if (order.act === "release") return sayRelease(order.name, await parked.release(order.name));
    sayParked(await parked.list());
    return 0;
  } finally {
    await mongo.close();
  }
}

function sayParked({ actors, sources, isMore }: Parked): void {
  const lines = [...actors.map(actorLine), ...sources.map(sourceLine)].map(printable);
  console.log(lines.length === 0 ? "Nothing is parked." : lines.join("\n"));
  if (isMore) console.log("There is more than is listed here.");
}

const actorLine = ({ _id, since, seenAt, wrong }: ParkedActor) =>
  wrong === null
    ? `${_id}  can be read again (parked since ${since.toISOString()}): release it`
    : `${_id}  parked since ${since.toISOString()}, met last ${seenAt.toISOString()}: ${wrong}`;

const sourceLine = ({ source, rows, since, types }: ParkedRows) =>
  `${source}  ${count(rows)} set aside since ${since.toISOString()}: ${types.join(", ")}`;

function sayRelease(given: string, release: Release): number {
  const name = printable(given);
  if (release.kind === "nothing") {
    console.error(`Nothing is parked under ${name}.`);
    return 1;
  }
  if (release.kind === "unreadable") {
    console.error(`${name} stays parked, and nothing was changed: ${printable(release.wrong)}`);
    return 1;
  }
  if (release.isActor) console.log(`${name} is released; timers that are due fire at once.`);
  if (release.rows > 0) console.log(`${count(release.rows)} of ${name} will be published again.`);
  return 0;
}

const count = (rows: number) => (rows === 1 ? "1 outbox row" : `${rows} outbox rows`);

await runCommand({ usage: USAGE, orderOf }, run);
