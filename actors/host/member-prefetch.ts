import type { AnySettling } from "./settling.ts";

/** Actors with a prefetch at the same time, at most; others read their members when they need them. */
const MAX_ACTORS = 32;

type Prefetch = { cursor: string; members: Promise<unknown[]> };

/**
 * Prefetches the members of a settling's next batch while the current one is being written. Members don't change during a
 * settling, so the prefetched ones stay valid, even when that write fails. Beyond 32 actors the oldest prefetch is evicted:
 * another process may have taken over that actor.
 */
export class MemberPrefetch {
  readonly #prefetches = new Map<string, Prefetch>();

  /** `actor` is the key that is unique over all machines (`machine:id`). */
  begin(settling: AnySettling, { actor, id }: SettlingActor, cursor: string): void {
    const members = settling.after(id, cursor, settling.batchSize);
    // `take` passes the failure on to its caller; when nobody takes the prefetch, the failure doesn't matter.
    members.catch(() => this.#forget(actor, members));
    this.#prefetches.delete(actor);
    this.#prefetches.set(actor, { cursor, members });
    if (this.#prefetches.size <= MAX_ACTORS) return;
    const [oldest] = this.#prefetches.keys();
    if (oldest !== undefined) this.#prefetches.delete(oldest);
  }

  /** The members after `cursor`: the prefetched ones if they begin at the same cursor, else freshly read ones. */
  take(settling: AnySettling, { actor, id }: SettlingActor, cursor: string): Promise<unknown[]> {
    const prefetch = this.#prefetches.get(actor);
    this.#prefetches.delete(actor);
    return prefetch?.cursor === cursor ? prefetch.members : settling.after(id, cursor, settling.batchSize);
  }

  #forget(actor: string, members: Promise<unknown[]>): void {
    if (this.#prefetches.get(actor)?.members === members) this.#prefetches.delete(actor);
  }
}

type SettlingActor = { actor: string; id: string };
