import type { OutboxDoc } from "../../store/mongo/host/outbox.ts";

/** The rows of one commit, in publishing order. */
export type CommittedRows = { version: number; rows: OutboxDoc[] };

const MAX_ACTORS = 1_000;
/** Waiting commits per actor; with more, all of them are read from the store instead. */
const MAX_WAITING = 16;

type Known = {
  /** The watermark: all commits up to this version are known to be published; null = unknown. */
  publishedUpTo: number | null;
  waiting: CommittedRows[];
};

/**
 * Commits of this process that aren't published yet. A row may be published only when no older row of its source is left,
 * or the room would drop the older one for good. So rows are taken from here only when the previous commit is known to be
 * published, which saves a read; otherwise the store is read. Remembers at most 1,000 actors.
 */
export class UnpublishedCommits {
  readonly #known = new Map<string, Known>();

  add(actor: string, commit: CommittedRows): void {
    // Nothing precedes the actor's first commit.
    const known = this.#known.get(actor) ?? { publishedUpTo: commit.version === 1 ? 0 : null, waiting: [] };
    this.#known.delete(actor);
    this.#known.set(actor, known);
    if (known.waiting.length >= MAX_WAITING) this.forget(actor);
    known.waiting.push(commit);
    if (this.#known.size <= MAX_ACTORS) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  isWaiting(actor: string): boolean {
    return (this.#known.get(actor)?.waiting.length ?? 0) > 0;
  }

  /** The next commit's rows; null when none wait, or when an older row may be left: then read all rows from the store. */
  take(actor: string): CommittedRows | null {
    const known = this.#known.get(actor);
    const [first] = known?.waiting ?? [];
    if (!known || !first || known.publishedUpTo !== first.version - 1) return null;
    known.waiting.shift();
    return first;
  }

  /** Clears the queue for a reader of the store, who will see all commits up to the returned version (0 = unknown). */
  takeOver(actor: string): number {
    const waiting = this.#known.get(actor)?.waiting.splice(0) ?? [];
    return waiting.at(-1)?.version ?? 0;
  }

  /** Call when that commit and all earlier ones are published. */
  published(actor: string, version: number): void {
    const known = this.#known.get(actor);
    if (!known) return;
    known.publishedUpTo = Math.max(known.publishedUpTo ?? 0, version);
    known.waiting = known.waiting.filter((commit) => commit.version > version);
  }

  /** Call when a row wasn't, or may not have been, published: all waiting rows are then read from the store. */
  forget(actor: string): void {
    const known = this.#known.get(actor);
    if (!known) return;
    known.publishedUpTo = null;
    known.waiting = [];
  }
}
