/**
 * Runs at most `most` tasks of one key at once; the others wait in the order in which they came. The callers bound how many
 * wait, and each checks by itself whether its turn came too late.
 */
export function createKeyedSemaphore(most: number) {
  const busy = new Map<string, { running: number; waiting: (() => void)[] }>();

  return async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = busy.get(key) ?? { running: 0, waiting: [] };
    busy.set(key, queue);
    if (queue.running < most) queue.running++;
    else await new Promise<void>((begin) => queue.waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = queue.waiting.shift();
      if (next) next();
      else if (--queue.running === 0) busy.delete(key);
    }
  };
}
