import type { Redis } from "ioredis";
import { keys } from "../../../../store/redis/keys.ts";
import { hasFields } from "../../../stress/parent.ts";

/** A row's position in its source. */
export type Row = { source: string; version: number; n: number };

/** The message id that its deletion event names. */
export const nameOf = ({ source, version, n }: Row) => `${source}:${version}:${n}`;

/** What a room's log holds, oldest first. */
export type RoomLog = Row[];

/** Reads the rooms' logs; with `flush`, everything in Redis is lost in the same transaction. */
export async function readLogs(redis: Redis, rooms: string[], flush = false): Promise<RoomLog[]> {
  const reading = redis.multi();
  for (const room of rooms) reading.xrange(keys.roomLog(room), "-", "+");
  if (flush) reading.flushall();
  const results = (await reading.exec()) ?? [];
  return results.slice(0, rooms.length).map(([err, entries]) => {
    if (err) throw err;
    return (entries as [id: string, fields: string[]][]).map(([, fields]) => rowIn(fields));
  });
}

function rowIn(fields: string[]): Row {
  const event: unknown = JSON.parse(fields[fields.indexOf("e") + 1] ?? "null");
  const data = hasFields(event, "data") ? event.data : null;
  const [, source, version, n] =
    /^(.+):(\d+):(\d+)$/.exec(hasFields(data, "uuid") ? String(data.uuid) : "") ?? [];
  if (source === undefined) throw new Error(`this is no event of the spec: ${fields}`);
  return { source, version: Number(version), n: Number(n) };
}

/** Throws unless each source's rows are strictly ascending in a log: no duplicates, no disorder. */
export function checkOrder(log: RoomLog): void {
  const last = new Map<string, Row>();
  for (const row of log) {
    const before = last.get(row.source);
    if (before && !isAfter(row, before)) {
      throw new Error(`a room has ${nameOf(row)} after ${nameOf(before)}`);
    }
    last.set(row.source, row);
  }
}

const isAfter = (one: Row, other: Row) =>
  one.version > other.version || (one.version === other.version && one.n > other.n);

/** Throws unless the logs hold exactly these rows; returns how many of them are in more than one log. */
export function checkComplete(written: Row[], logs: RoomLog[]): number {
  const times = new Map<string, number>();
  for (const row of logs.flat()) times.set(nameOf(row), (times.get(nameOf(row)) ?? 0) + 1);
  const missing = written.filter((row) => !times.has(nameOf(row)));
  if (missing.length > 0)
    throw new Error(`${missing.length} rows were never published, first ${missing.slice(0, 3).map(nameOf)}`);
  if (times.size !== written.length) throw new Error("a room has what nobody wrote");
  return [...times.values()].filter((count) => count > 1).length;
}
