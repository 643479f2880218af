/**
 * Does `work` with each item: those of one line one after the other, in their order, at most `atOnce` lines at a time. For
 * what would meet at one document, such as refunds to one balance. After a rejection no further item is begun.
 */
export async function inLines<Item>(
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
  // One iterator for all that take.
  const lines = byLine.values();
  let isOver = false;
  async function take(): Promise<void> {
    for (const line of lines) {
      for (const item of line) {
        if (isOver) return;
        await work(item);
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, take));
  } finally {
    isOver = true;
  }
}
