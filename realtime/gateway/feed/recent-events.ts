import type { Position } from "../../../store/room-position.ts";
import { type RoomEvent, redactionsIn } from "../../rooms/event.ts";
import { framesOf } from "../socket/frames.ts";
import { LogPages, type RangeReader, type ReplayStats } from "./log-pages.ts";
import { Ring } from "./ring.ts";

/** Positions from which the way to the head is kept as finished frames. */
const MAX_WAYS = 8;

/**
 * What a worker still has of a room for those who come back: a ring of the last events, and pages of the log for what
 * the ring lacks. Texts that were deleted since aren't in it.
 */
export class RecentEvents {
  private readonly ring = new Ring();
  private readonly pages: LogPages;
  private readonly stats: ReplayStats;
  private readonly waysToHead = new Map<number, readonly Buffer[]>();
  private redactions = 0;
  private isClosed = false;

  constructor(options: { streamId: string; log: RangeReader; stats: ReplayStats }) {
    this.pages = new LogPages(options);
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
    // Many that reconnect at once come from few positions: they are sent the same bytes.
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

  /** As `redactionsIn` gives them. */
  redact(json: string): void {
    this.redactions++;
    this.waysToHead.clear();
    this.pages.clear();
    for (const redaction of redactionsIn(json)) {
      this.ring.redact((message) => {
        if (redaction.kind === "delete") return message.uuid === redaction.uuid;
        if (redaction.kind === "hide") return message.user_id === redaction.userId;
        return redaction.kind === "clear";
      });
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
