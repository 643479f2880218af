import type { Db } from "mongodb";
import type { HistoryDoc } from "../../../store/mongo/host/history.ts";

/** Histories by actor, oldest first. */
export async function historiesIn(db: Db, actors?: string[]): Promise<Map<string, HistoryDoc[]>> {
  const histories = new Map<string, HistoryDoc[]>();
  const filter = actors ? { actor: { $in: actors } } : {};
  const order = { actor: 1, version: 1, n: 1 } as const;
  for await (const row of db.collection<HistoryDoc>("history").find(filter).sort(order)) {
    const rows = histories.get(row.actor) ?? [];
    rows.push(row);
    histories.set(row.actor, rows);
  }
  return histories;
}
