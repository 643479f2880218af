import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";

type CounterDoc = { _id: string; next: number };

export const countersCollection = defineCollection<CounterDoc>("counters", {
  personal: "none",
});

/**
 * Integer ids, unique over all processes, rising within one. Each process allocates them in blocks, so ids
 * have gaps after a restart and aren't ordered between processes.
 */
export function countersIn(db: Db, blockSize = 100) {
  const counters = countersCollection.in(db);
  const blocks = new Map<string, { next: number; end: number }>();
  const refills = new Map<string, Promise<void>>();

  async function refill(name: string): Promise<void> {
    const doc = await counters.findOneAndUpdate(
      { _id: name },
      { $inc: { next: blockSize } },
      { upsert: true, returnDocument: "after" },
    );
    const end = doc?.next ?? blockSize;
    blocks.set(name, { next: end - blockSize + 1, end });
  }

  return {
    /** The next id of the counter `name`, starting at 1. */
    async take(name: string): Promise<number> {
      for (;;) {
        const block = blocks.get(name);
        if (block && block.next <= block.end) return block.next++;
        const running = refills.get(name) ?? refill(name).finally(() => refills.delete(name));
        refills.set(name, running);
        await running;
      }
    },
  };
}

export type Counters = ReturnType<typeof countersIn>;
