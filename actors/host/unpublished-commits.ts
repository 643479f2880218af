import type { OutboxDoc } from "../../store/mongo/outbox.ts";

/** The rows of one commit, in their order. */
export type CommittedRows = { version: number; rows: OutboxDoc[] };

const MAX_ACTORS = 1_000;
/** Commits of one actor that wait to be published; beyond it they are read from the store like any other. */
const MAX_WAITING = 16;

type Known = {
  /** Everything up to that commit was published, as far as this process knows; null = it doesn't know. */
  publishedUpTo: number | null;
  waiting: CommittedRows[];
};

/**
 * What this process has committed and not published yet. A row may only be published when nothing older of its source is
 * left, or the room would drop the older one for good; so rows are handed out from here only when the commit before
 * theirs is known to be published. It saves a read; when that isn't known, the store is read. Remembers at most 1,000
 * actors.
 */
export class UnpublishedCommits {
  readonly #known = new Map<string, Known>();

  add(actor: string, commit: CommittedRows): void {
    // The first commit of all has none before it.
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

  /** The next commit's rows; null when there are none, or something older may be left: then read all. */
  take(actor: string): CommittedRows | null {
    const known = this.#known.get(actor);
    const [first] = known?.waiting ?? [];
    if (!known || !first || known.publishedUpTo !== first.version - 1) return null;
    known.waiting.shift();
    return first;
  }

  /** Hands over to a reader, who will see every commit up to the one returned (0 = of none is it known). */
  takeOver(actor: string): number {
    const waiting = this.#known.get(actor)?.waiting.splice(0) ?? [];
    return waiting.at(-1)?.version ?? 0;
  }

  /** All of that commit and of those before it was published. */
  published(actor: string, version: number): void {
    const known = this.#known.get(actor);
    if (!known) return;
    known.publishedUpTo = Math.max(known.publishedUpTo ?? 0, version);
    known.waiting = known.waiting.filter((commit) => commit.version > version);
  }

  /** Something was not published, or it isn't known: what waits is read from the store. */
  forget(actor: string): void {
    const known = this.#known.get(actor);
    if (!known) return;
    known.publishedUpTo = null;
    known.waiting = [];
  }
}
