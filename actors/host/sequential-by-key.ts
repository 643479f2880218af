/**
 * Runs `work` for each item: items with the same key (`keyOf`) one after the other, in their order, and at most `concurrency`
 * keys concurrently. For items that would conflict at one document, such as refunds to one balance. After a rejection no
 * further item is begun.
 */
export async function sequentialByKey<Item>(
  items: readonly Item[],
  { keyOf, concurrency }: { keyOf: (item: Item) => string; concurrency: number },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const byKey = new Map<string, Item[]>();
  for (const item of items) {
    const queue = byKey.get(keyOf(item)) ?? [];
    queue.push(item);
    byKey.set(keyOf(item), queue);
  }
  // All workers share one iterator.
  const queues = byKey.values();
  let isOver = false;
  async function drain(): Promise<void> {
    for (const queue of queues) {
      for (const item of queue) {
        if (isOver) return;
        await work(item);
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: concurrency }, drain));
  } finally {
    isOver = true;
  }
}
