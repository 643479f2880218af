import type { Clock } from "../../base/clock.ts";
import type { SnapshotDoc } from "../../store/mongo/host/snapshots.ts";

const MAX_REMEMBERED = 1_000;
/** An actor counts as shared when another process has committed it within this time. */
const SHARED_MS = 10_000;

type Known = {
  /** As this process last committed it; null when it may not be the newest. */
  doc: SnapshotDoc | null;
  /** When another process was last noticed at this actor, ms of the clock. */
  othersAt: number;
};

/**
 * Caches the snapshots of the actors that this process committed last, at most 1,000. It is only an optimization: an
 * outdated snapshot fails the compare-and-set, and a writer that skips the lock only risks a conflict.
 */
export class SnapshotCache {
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether other processes work on that actor too, so that the fair lock is worth its cost. */
  isShared(actor: string): boolean {
    const known = this.#known.get(actor);
    return known !== undefined && this.#clock.now() - known.othersAt < SHARED_MS;
  }

  /** The cached snapshot to begin with; null when it must be loaded. */
  docOf(actor: string): SnapshotDoc | null {
    return this.isShared(actor) ? null : (this.#known.get(actor)?.doc ?? null);
  }

  /** Call when this process has committed this snapshot. */
  committed(doc: SnapshotDoc): void {
    this.#remember(doc._id, {
      doc,
      othersAt: this.#known.get(doc._id)?.othersAt ?? Number.NEGATIVE_INFINITY,
    });
  }

  /** Call with the newest snapshot, as loaded from the store. */
  loaded(doc: SnapshotDoc): void {
    const known = this.#known.get(doc._id)?.doc;
    const isOwn = known?.commits.at(-1) === doc.commits.at(-1);
    if (!isOwn && this.#clock.now() - doc.updatedAt.getTime() < SHARED_MS) this.collided(doc._id);
  }

  /** Call after a conflict: another process committed first. */
  collided(actor: string): void {
    this.#remember(actor, { doc: null, othersAt: this.#clock.now() });
  }

  /** Call when the actor's newest version is unknown. */
  forget(actor: string): void {
    const known = this.#known.get(actor);
    if (known) known.doc = null;
  }

  #remember(actor: string, known: Known): void {
    this.#known.delete(actor);
    this.#known.set(actor, known);
    if (this.#known.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
