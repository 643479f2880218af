/** `hit`: a kept answer; `shared`: one that is being made for somebody else; `miss`: one that had to be made. */
export type Lookup = "hit" | "shared" | "miss";

type Entry = { startedAt: number; bytes: number; isThere: boolean; answer: Promise<Buffer> };

/** An entry beside its key and its answer, roughly. */
const ENTRY_BYTES = 200;

/**
 * Answers of one operation for `ttlMs`, counted from when they began to be made, so that none shows what was longer ago.
 * One that is being made is waited for by all who come within that time. A failure isn't kept. At the bounds the oldest
 * goes: all live equally long, so a Map's order of insertion is the order in which they end.
 */
export function createAnswerCache(options: {
  ttlMs: number;
  maxEntries: number;
  maxBytes: number;
  /** Milliseconds that only rise. */
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
    // One alone past the bound would take all others with it.
    if (entry.bytes > maxBytes) drop(key, entry);
    dropOld();
  }

  return {
    /** The kept answer under that key, or what `make` gives. */
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
    /** What it holds now, those that have run out and weren't dropped yet included. */
    size: () => ({ entries: entries.size, bytes }),
  };
}
