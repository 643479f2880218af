/** Runs `work` for every item in the list's order, with a concurrency of at most `width`. */
export async function atOnce<Item, Result>(
  width: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  async function worker(): Promise<void> {
    for (const [index, item] of queue) results[index] = await work(item, index);
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}
