/** Messages of one room per transaction. */
const BATCH = 50;

/** Held messages of one room that the sweep ends. */
export type Due = { streamId: string; ids: string[] };

/** By room, in their order. */
export function batchesOf(due: readonly { streamId: string; id: string }[]): Due[] {
  const open = new Map<string, Due>();
  const batches: Due[] = [];
  for (const { streamId, id } of due) {
    let batch = open.get(streamId);
    if (!batch || batch.ids.length >= BATCH) {
      batch = { streamId, ids: [] };
      open.set(streamId, batch);
      batches.push(batch);
    }
    batch.ids.push(id);
  }
  return batches;
}
