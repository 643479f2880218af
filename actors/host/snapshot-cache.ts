import type { Clock } from "../../store/clock.ts";
import type { SnapshotDoc } from "../../store/mongo/snapshots.ts";

const MAX_REMEMBERED = 1_000;
/** An actor that another process has committed so lately is shared with it. */
const SHARED_MS = 10_000;

type Known = {
  /** As this process committed it last; null when it can't be taken for the newest. */
  doc: SnapshotDoc | null;
  /** When another process was last seen at it, ms of the clock. */
  othersAt: number;
};

/**
 * What this process remembers of the actors that it committed last, at most 1,000. It only saves work: a remembered snapshot
 * that isn't the newest fails the compare-and-set, and who waits for no lock only collides.
 */
export class SnapshotCache {
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether other processes are at that actor too, so that the fair lock pays. */
  isShared(actor: string): boolean {
    const known = this.#known.get(actor);
    return known !== undefined && this.#clock.now() - known.othersAt < SHARED_MS;
  }

  /** The snapshot to begin with, or null: load it. */
  docOf(actor: string): SnapshotDoc | null {
    return this.isShared(actor) ? null : (this.#known.get(actor)?.doc ?? null);
  }

  /** This process has just committed it. */
  committed(doc: SnapshotDoc): void {
    this.#remember(doc._id, {
      doc,
      othersAt: this.#known.get(doc._id)?.othersAt ?? Number.NEGATIVE_INFINITY,
    });
  }

  /** This is the newest, from the store. */
  loaded(doc: SnapshotDoc): void {
    const known = this.#known.get(doc._id)?.doc;
    const isOwn = known?.commits.at(-1) === doc.commits.at(-1);
    if (!isOwn && this.#clock.now() - doc.updatedAt.getTime() < SHARED_MS) this.collided(doc._id);
  }

  /** Somebody else was faster. */
  collided(actor: string): void {
    this.#remember(actor, { doc: null, othersAt: this.#clock.now() });
  }

  /** It isn't known how it stands now. */
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
