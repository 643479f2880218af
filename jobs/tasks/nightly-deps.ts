import type { Db } from "mongodb";
import type { Log } from "../../base/log.ts";

/** What each nightly job is given; `db` is of a connection for maintenance. */
export type NightlyDeps = { db: Db; now: () => Date; log: Log };
