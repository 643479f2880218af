import type { Db } from "mongodb";
import { jobCursorsIn } from "../driver/job-cursors.ts";

/** From when on rollups are complete, where an older release kept them for a shorter time; nothing where all are. */
export const knownSinceIn = (db: Db) => jobCursorsIn<{ since: Date }>(db, "analytics-known-since");
