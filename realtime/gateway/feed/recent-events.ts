import type { Position } from "../../../base/room-position.ts";
import { type RoomEvent, redactionsIn } from "../../rooms/event.ts";
import { framesOf } from "../socket/frames.ts";
import { LogPages, type RangeReader, type ReplayStats } from "./log-pages.ts";
import { Ring } from "./ring.ts";

/** How many positions have their frames up to the head cached. */
const MAX_CACHED_POSITIONS = 8;

/**
 * The recent events of a room that this worker has for replays: a ring of the last events, and pages of the log for what
 * the ring lacks. Texts that were deleted since aren't in it.
 */
export class RecentEvents {
  private readonly ring = new Ring();
  private readonly pages: LogPages;
  private readonly stats: ReplayStats;
  private readonly framesToHead = new Map<number, readonly Buffer[]>();
  private redactions = 0;
  private isClosed = false;

  constructor(options: { streamId: string; log: RangeReader; stats: ReplayStats }) {
    this.pages = new LogPages(options);
    this.stats = options.stats;
  }

  push(event: RoomEvent): void {
    // All rings share one budget, so a room that nobody follows any more mustn't fill its ring.
    if (this.isClosed) return;
    this.framesToHead.clear();
    this.ring.push(event);
  }

  /** The events after a position, as frames; null when the ring doesn't reach back to it. */
  framesAfter(position: Position, head: Position): readonly Buffer[] | null {
    const events = this.ring.after(position, head);
    if (events === null) return null;
    this.stats.ringReplays++;
    // Many clients that reconnect at once share few positions: they are sent the same bytes.
    const known = this.framesToHead.get(position.seq);
    if (known) return known;
    const frames = framesOf(events.map(({ payload }) => payload));
    if (this.framesToHead.size < MAX_CACHED_POSITIONS) this.framesToHead.set(position.seq, frames);
    return frames;
  }

  /** Whether the ring reaches back to a position. */
  reaches(position: Position, head: Position): boolean {
    return this.ring.after(position, head) !== null;
  }

  /** A page of events after a position, from the log. If they adjoin the ring, they also extend it backwards. */
  async read(position: Position, headNow: () => Position): Promise<RoomEvent[]> {
    const { redactions } = this;
    const events = await this.pages.after(position, headNow());
    // The events may have texts that were deleted during the read: those mustn't get into the ring.
    if (redactions === this.redactions && !this.isClosed) this.ring.extendBack(events, headNow());
    return events;
  }

  /** `json`: as `redactionsIn` takes it. */
  redact(json: string): void {
    this.redactions++;
    this.framesToHead.clear();
    this.pages.clear();
    for (const redaction of redactionsIn(json)) {
      this.ring.redact((message) => {
        if (redaction.kind === "delete") return message.uuid === redaction.uuid;
        if (redaction.kind === "hide") return message.user_id === redaction.userId;
        return redaction.kind === "clear";
      });
    }
  }

  /** Drops everything: at a new epoch, or when it isn't known what was deleted. */
  clear(): void {
    this.redactions++;
    this.framesToHead.clear();
    this.pages.clear();
    this.ring.clear();
  }

  close(): void {
    this.clear();
    this.isClosed = true;
  }
}
