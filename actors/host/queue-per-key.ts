import { unavailable } from "../../contract/errors.ts";

/** The answer to a caller that waited too long or finds the queue full. */
export const overloaded = () => unavailable();

/**
 * A queue per key, which exists while somebody uses it: a slow key doesn't hold up the others. With more than `maxUsers` users
 * of one key, throws `unavailable`.
 */
export function queuePerKey<Queue>(open: (key: string) => Queue, maxUsers: number) {
  const queues = new Map<string, { queue: Queue; users: number }>();
  return async function use<T>(key: string, work: (queue: Queue) => Promise<T>): Promise<T> {
    const entry = queues.get(key) ?? { queue: open(key), users: 0 };
    if (entry.users >= maxUsers) throw overloaded();
    queues.set(key, entry);
    entry.users++;
    try {
      return await work(entry.queue);
    } finally {
      entry.users--;
      if (entry.users === 0) queues.delete(key);
    }
  };
}
