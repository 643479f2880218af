/**
 * Runs `work` for each item: items with the same key (`lineOf`) one after the other, in their order, and at most `atOnce`
 * keys concurrently. For items that would conflict at one document, such as refunds to one balance. After a rejection no
 * further item is begun.
 */
export async function sequentialByKey<Item>(
  items: readonly Item[],
  { lineOf, atOnce }: { lineOf: (item: Item) => string; atOnce: number },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const byLine = new Map<string, Item[]>();
  for (const item of items) {
    const line = byLine.get(lineOf(item)) ?? [];
    line.push(item);
    byLine.set(lineOf(item), line);
  }
  // All workers share one iterator.
  const lines = byLine.values();
  let isOver = false;
  async function drain(): Promise<void> {
    for (const line of lines) {
      for (const item of line) {
        if (isOver) return;
        await work(item);
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, drain));
  } finally {
    isOver = true;
  }
}
