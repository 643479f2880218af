import type { AnySettling } from "./settling.ts";

/** Actors that this process settles at a time, at most; others just read when it is their turn. */
const MOST = 32;

type Begun = { cursor: string; members: Promise<unknown[]> };

/**
 * Reads the members of a settling's next batch while this one is being written. They don't change while it goes on, so
 * what was read early is what would be read late, also when that write fails. Past 32 actors the one that began first is
 * forgotten: another process may have taken it over.
 */
export class MemberPrefetch {
  readonly #begun = new Map<string, Begun>();

  /** `actor` is its key, over all machines. */
  begin(settling: AnySettling, { actor, id }: Settled, cursor: string): void {
    const members = settling.after(id, cursor, settling.batchSize);
    // The one that takes it gets the failure; when none does, nothing is lost.
    members.catch(() => this.#forget(actor, members));
    this.#begun.delete(actor);
    this.#begun.set(actor, { cursor, members });
    if (this.#begun.size <= MOST) return;
    const [oldest] = this.#begun.keys();
    if (oldest !== undefined) this.#begun.delete(oldest);
  }

  /** The members after `cursor`, those that were prefetched when that was after the same cursor. */
  take(settling: AnySettling, { actor, id }: Settled, cursor: string): Promise<unknown[]> {
    const begun = this.#begun.get(actor);
    this.#begun.delete(actor);
    return begun?.cursor === cursor ? begun.members : settling.after(id, cursor, settling.batchSize);
  }

  #forget(actor: string, members: Promise<unknown[]>): void {
    if (this.#begun.get(actor)?.members === members) this.#begun.delete(actor);
  }
}

type Settled = { actor: string; id: string };
