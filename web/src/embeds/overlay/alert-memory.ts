/** How long an id is remembered: longer than the service lists alerts, ms. */
const KEPT_MS = 600_000;

type Kept = { from: number; shown: [id: string, at: number][] };

/**
 * What an overlay has shown, so that it shows nothing twice after a reload: broadcasting programs load a page again whenever its scene
 * changes. The tab's own storage counts, as the same link may be open twice; a new tab begins with what the last one has shown.
 */
export class AlertMemory {
  readonly #key: string;
  readonly #now: () => number;
  /** Nothing is shown that happened before, Unix ms. */
  readonly #from: number;
  readonly #shown: Map<string, number>;

  /** `since`: when the page was opened. Both times are the service's, Unix ms. */
  constructor(overlayId: string, { since, now }: { since: number; now: () => number }) {
    this.#key = `livecore-overlay:${overlayId}`;
    this.#now = now;
    const kept = read(() => sessionStorage, this.#key) ?? read(() => localStorage, this.#key);
    this.#from = Math.min(kept?.from ?? since, since);
    this.#shown = new Map(kept?.shown);
    this.#keep();
  }

  isNew({ id, created_at }: { id: string; created_at: string }): boolean {
    return !this.#shown.has(id) && Date.parse(created_at) >= this.#from;
  }

  /** Before it is shown: what is cut short by a reload doesn't come again. */
  note(ids: readonly string[]): void {
    for (const id of ids) this.#shown.set(id, this.#now());
    this.#keep();
  }

  #keep(): void {
    const oldest = this.#now() - KEPT_MS;
    for (const [id, at] of this.#shown) if (at < oldest) this.#shown.delete(id);
    const text = JSON.stringify({ from: this.#from, shown: [...this.#shown] } satisfies Kept);
    write(() => sessionStorage, this.#key, text);
    write(() => localStorage, this.#key, text);
  }
}

/** Where it is blocked, reading the property throws already. */
type OwnStorage = () => Storage;

function write(storage: OwnStorage, key: string, text: string): void {
  try {
    storage().setItem(key, text);
  } catch {
    // Full or blocked: only this page remembers. An alert that may come again after a reload is better than none.
  }
}

/** Null without one, also if it can't be read. */
function read(storage: OwnStorage, key: string): Kept | null {
  try {
    const text = storage().getItem(key);
    if (text === null) return null;
    const kept: unknown = JSON.parse(text);
    if (typeof kept !== "object" || kept === null || !("from" in kept) || !("shown" in kept)) return null;
    if (typeof kept.from !== "number" || !Array.isArray(kept.shown)) return null;
    return { from: kept.from, shown: kept.shown.filter(isEntry) };
  } catch {
    return null;
  }
}

const isEntry = (entry: unknown): entry is [string, number] =>
  Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "number";
