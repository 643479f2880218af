import { type Db, MongoServerError } from "mongodb";
import type { Log } from "../../../base/log.ts";

/** Where bets stop for as long as the members need to notice that the primary is gone (docs/actors.md). */
const RECOMMENDED = { electionTimeoutMillis: 2_000, heartbeatTimeoutSecs: 2 };

/** Unauthorized: hosted servers don't let every user read the set's configuration. */
const UNAUTHORIZED = 13;

/** The part of `replSetGetConfig`'s reply that a failover depends on; MongoDB fills in its defaults. */
type SetConfig = {
  members: { host: string; priority: number }[];
  settings: { electionTimeoutMillis: number; heartbeatTimeoutSecs: number };
};

/** Logs where the replica set's settings make a failover slower than recommended. A set of one member has none. */
export async function checkFailoverSettings(db: Db, log: Log): Promise<void> {
  const config = await setConfigOf(db);
  if (config === null) {
    log.info({ recommended: RECOMMENDED }, "mongodb replica set: settings not readable");
    return;
  }
  const { members, settings } = config;
  if (members.length === 1) return;
  const { electionTimeoutMillis, heartbeatTimeoutSecs } = settings;
  const isSlow =
    electionTimeoutMillis > RECOMMENDED.electionTimeoutMillis ||
    heartbeatTimeoutSecs > RECOMMENDED.heartbeatTimeoutSecs;
  if (isSlow) {
    const fields = { electionTimeoutMillis, heartbeatTimeoutSecs, recommended: RECOMMENDED };
    log.warn(fields, "mongodb replica set: failover slower than recommended");
  }
  const electable = members.filter(({ priority }) => priority > 0);
  if (new Set(electable.map(({ priority }) => priority)).size > 1) {
    const priorities = Object.fromEntries(electable.map(({ host, priority }) => [host, priority]));
    log.warn({ priorities }, "mongodb replica set: unequal priorities, a failover is followed by another");
  }
}

async function setConfigOf(db: Db): Promise<SetConfig | null> {
  try {
    const { config }: { config?: SetConfig } = await db.client.db("admin").command({ replSetGetConfig: 1 });
    return config ?? null;
  } catch (err) {
    if (err instanceof MongoServerError && err.code === UNAUTHORIZED) return null;
    throw err;
  }
}
