import { setStaff } from "../actors/identity/staff.ts";
import { ServiceError } from "../specs/contract/errors.ts";
import { createAudit, OPERATOR } from "../store/audit.ts";
import { systemClock } from "../store/clock.ts";
import { connectMongo } from "../store/mongo/connect.ts";
import { runCommand } from "./command.ts";
import type { Config } from "./config/config.ts";
import { printable } from "./printable.ts";
import { createLogger } from "./process/logger.ts";

const USAGE = "Usage: npm run staff -- grant <username> | revoke <username>";

/** What the arguments ask for, or null. */
function orderOf([act, username, ...rest]: string[]): { username: string; isStaff: boolean } | null {
  if ((act !== "grant" && act !== "revoke") || !username || rest.length > 0) return null;
  return { username, isStaff: act === "grant" };
}

async function change(
  { mongo: { url, database } }: Config,
  username: string,
  isStaff: boolean,
): Promise<number> {
  // Standard output is for people; collectors of audit lines read standard error.
  const audit = createAudit(
    createLogger({ level: "info", process: "staff", readable: false, destination: process.stderr }),
  );
  const mongo = await connectMongo({ url, database, selectionTimeoutMs: 5_000, maxPoolSize: 2 });
  try {
    const now = new Date(systemClock.now());
    await setStaff({ mongo, audit, now }, username, isStaff, OPERATOR);
  } catch (err) {
    if (!(err instanceof ServiceError)) throw err;
    console.error(`There is no user called ${printable(username)}.`);
    return 1;
  } finally {
    await mongo.close();
  }
  console.log(
    isStaff ? `${printable(username)} is staff now.` : `${printable(username)} isn't staff any more.`,
  );
  return 0;
}

async function main(args: string[]): Promise<number> {
  const order = orderOf(args);
  if (order) return runCommand((config) => change(config, order.username, order.isStaff));
  console.error(USAGE);
  return 2;
}

process.exitCode = await main(process.argv.slice(2));
