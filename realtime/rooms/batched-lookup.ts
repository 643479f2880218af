import DataLoader from "dataloader";
import { overloaded } from "./admission-queue.ts";
import { createLookupSlots } from "./lookup-slots.ts";

/** Two, so that one that hangs doesn't delay those behind it. */
const BATCHES_AT_ONCE = 2;
const MAX_BATCH = 256;
/** Beyond that, look-ups are refused at once: they wouldn't get an answer in time. */
const MAX_WAITING = 8_192;

/**
 * Looks up what messages need with few commands: what is asked for while two batches are under way becomes the next one, so that
 * batches get larger the more is asked for. What nobody waits for any more, since its deadline (performance.now()) has passed,
 * isn't read. Rejects with unavailable past the deadline, or when too much waits.
 */
export function createBatchedLookup<Key, Value extends string | number>(
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
) {
  const slots = createLookupSlots(BATCHES_AT_ONCE);
  let waiting = 0;

  async function readWanted(lookups: readonly Lookup<Key>[]): Promise<(Value | Error)[]> {
    try {
      const now = performance.now();
      const isWanted = ({ deadline }: Lookup<Key>) => now < deadline;
      const wanted = lookups.filter(isWanted);
      const values = wanted.length === 0 ? [] : [...(await read(wanted.map(({ key }) => key)))];
      return lookups.map((lookup) => (isWanted(lookup) ? values.shift() : undefined) ?? overloaded());
    } finally {
      slots.leave();
    }
  }

  async function schedule(go: () => void): Promise<void> {
    await slots.enter(Number.POSITIVE_INFINITY);
    setImmediate(go);
  }

  const loader = new DataLoader(readWanted, {
    cache: false,
    maxBatchSize: MAX_BATCH,
    batchScheduleFn: (go) => void schedule(go),
  });

  /** `deadline` by performance.now(). */
  return async (key: Key, deadline: number): Promise<Value> => {
    if (waiting >= MAX_WAITING) throw overloaded();
    waiting++;
    try {
      return await loader.load({ key, deadline });
    } finally {
      waiting--;
    }
  };
}

type Lookup<Key> = { key: Key; deadline: number };
