/** `hit`: a cached answer; `shared`: one that is already being made for another caller; `miss`: one that had to be made. */
export type Lookup = "hit" | "shared" | "miss";

type Entry = { startedAt: number; bytes: number; isThere: boolean; answer: Promise<Buffer> };

/** Rough size of an entry besides its key and its answer. */
const ENTRY_BYTES = 200;

/**
 * Caches answers of one operation for `ttlMs`, counted from when their making began, so that none is older than that. All
 * callers within that time share an answer that is still being made (single flight). A failure isn't cached. At the bounds
 * the oldest is evicted: all have the same TTL, so a Map's insertion order is their order of expiry.
 */
export function createAnswerCache(options: {
  ttlMs: number;
  maxEntries: number;
  maxBytes: number;
  /** Monotonic, ms. */
  now: () => number;
}) {
  const { ttlMs, maxEntries, maxBytes, now } = options;
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function drop(key: string, entry: Entry): void {
    entries.delete(key);
    bytes -= entry.bytes;
  }

  function dropOld(): void {
    const oldest = now() - ttlMs;
    for (const [key, entry] of entries) {
      if (entry.startedAt > oldest && entries.size <= maxEntries && bytes <= maxBytes) return;
      drop(key, entry);
    }
  }

  function keep(key: string, entry: Entry, body: Buffer): void {
    if (entries.get(key) !== entry) return;
    entry.isThere = true;
    entry.bytes += body.length;
    bytes += body.length;
    // A single answer above the bound would evict all others.
    if (entry.bytes > maxBytes) drop(key, entry);
    dropOld();
  }

  return {
    /** The cached answer of that key, or what `make` returns. */
    get(key: string, make: () => Promise<Buffer>): { answer: Promise<Buffer>; lookup: Lookup } {
      dropOld();
      const known = entries.get(key);
      if (known) return { answer: known.answer, lookup: known.isThere ? "hit" : "shared" };
      const startedAt = now();
      const entry = { startedAt, bytes: ENTRY_BYTES + 2 * key.length, isThere: false, answer: make() };
      entries.set(key, entry);
      bytes += entry.bytes;
      dropOld();
      entry.answer.then(
        (body) => keep(key, entry, body),
        () => {
          if (entries.get(key) === entry) drop(key, entry);
        },
      );
      return { answer: entry.answer, lookup: "miss" };
    },
    /** The current size, expired entries that weren't dropped yet included. */
    size: () => ({ entries: entries.size, bytes }),
  };
}
