import { withoutText } from "../rooms/log.ts";
import type { ArchiveEffect } from "../rooms/publication.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { Position, RoomEvent } from "../rooms/types.ts";
import { framesOf } from "./frames.ts";
import { Pages, type ReplayStats } from "./pages.ts";
import { Ring } from "./ring.ts";

/** Positions from which the way to the head is kept as finished frames. */
const MAX_WAYS = 8;

/**
 * What a worker still has of a room for those who come back: a ring of the last events, and pages of the log for what
 * the ring lacks. Texts that were deleted since aren't in it.
 */
export class RecentEvents {
  private readonly ring = new Ring();
  private readonly pages: Pages;
  private readonly stats: ReplayStats;
  private readonly waysToHead = new Map<number, readonly Buffer[]>();
  private redactions = 0;
  private isClosed = false;

  constructor(options: { streamId: string; log: Rooms["log"]; stats: ReplayStats }) {
    this.pages = new Pages(options);
    this.stats = options.stats;
  }

  /** The room's next event. */
  push(event: RoomEvent): void {
    // A ring counts against those of others, also that of a room which nobody follows any more.
    if (this.isClosed) return;
    this.waysToHead.clear();
    this.ring.push(event);
  }

  /** What came after a position, as frames; null when the ring doesn't reach back to it. */
  framesAfter(position: Position, head: Position): readonly Buffer[] | null {
    const events = this.ring.after(position, head);
    if (events === null) return null;
    this.stats.ringReplays++;
    // A herd asks from few positions: those who come at once are sent the same bytes.
    const known = this.waysToHead.get(position.seq);
    if (known) return known;
    const frames = framesOf(events.map(({ payload }) => payload));
    if (this.waysToHead.size < MAX_WAYS) this.waysToHead.set(position.seq, frames);
    return frames;
  }

  /** Whether the ring reaches back to a position. */
  reaches(position: Position, head: Position): boolean {
    return this.ring.after(position, head) !== null;
  }

  /** Some events after a position, from the log; the ring reaches back further with them, where they meet it. */
  async read(position: Position, headNow: () => Position): Promise<RoomEvent[]> {
    const { redactions } = this;
    const events = await this.pages.after(position, headNow());
    // What was deleted while they were read isn't to be shown again.
    if (redactions === this.redactions && !this.isClosed) this.ring.extendBack(events, headNow());
    return events;
  }

  forget(effects: readonly ArchiveEffect[]): void {
    this.redactions++;
    this.waysToHead.clear();
    this.pages.clear();
    for (const effect of effects) {
      this.ring.redact((chat) => {
        if (effect.kind === "delete") return chat.uuid === effect.uuid;
        if (effect.kind === "clear") return true;
        // A newer release may have others.
        return effect.kind === "hide" && chat.user_id === effect.userId;
      }, withoutText);
    }
  }

  /** Begins anew: at an epoch, or when it can't be known what was deleted. */
  clear(): void {
    this.redactions++;
    this.waysToHead.clear();
    this.pages.clear();
    this.ring.clear();
  }

  close(): void {
    this.clear();
    this.isClosed = true;
  }
}
