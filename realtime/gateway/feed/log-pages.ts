import { cursorOf, isBefore, type Position } from "../../../store/room-position.ts";
import type { RoomEvent } from "../../rooms/event.ts";
import { SharedReads } from "./shared-reads.ts";

/** As many as a ring holds; each page begins in the middle of the one before. */
const PAGE = 256;
const ROUND = 128;
/** About as long as many that lost their worker take to reconnect. */
const KEPT_MS = 5_000;
const MAX_PAGES = 8;
/** Kept pages of all rooms together; beyond it a page serves those alone who wait for it. */
const BUDGET_BYTES = 32 * 1024 * 1024;

let keptBytes = 0;

export type RangeReader = {
  /** At most `count` events after a position, oldest first. */
  after(streamId: string, position: Position, count: number): Promise<RoomEvent[]>;
};

/** What a process has read of its rooms' logs for sockets that came back. */
export type ReplayStats = { replayReads: number; replayShared: number; ringReplays: number };

/**
 * A room's log in pages, for those who come back from further than the ring reaches. Pages begin at round numbers,
 * so that many clients that were cut off at different events share them, and each is read once within some seconds.
 */
export class LogPages {
  private readonly shared = new SharedReads<RoomEvent[]>({ keptMs: KEPT_MS, most: MAX_PAGES });
  private readonly streamId: string;
  private readonly log: RangeReader;
  private readonly stats: ReplayStats;

  constructor(options: { streamId: string; log: RangeReader; stats: ReplayStats }) {
    this.streamId = options.streamId;
    this.log = options.log;
    this.stats = options.stats;
  }

  /** Some events after a position, oldest first; none when the log ends there. */
  async after(position: Position, head: Position): Promise<RoomEvent[]> {
    // Of an epoch that is over, few positions are requested.
    const round = position.epoch === head.epoch ? position.seq % ROUND : 0;
    const from = { epoch: position.epoch, seq: position.seq - round };
    const key = cursorOf(from);
    const isShared = this.shared.has(key);
    if (isShared) this.stats.replayShared++;
    const page = await this.shared.get(key, () => this.read(from, key));
    const later = page.filter((event) => isBefore(position, event));
    // A read that began before this call may end before what this caller missed.
    return later.length === 0 && isShared ? this.readNow(position) : later;
  }

  /** What was deleted isn't shown again: pages that were read before are read anew. */
  clear(): void {
    this.shared.clear();
  }

  private async read(from: Position, key: string): Promise<RoomEvent[]> {
    const page = await this.readNow(from);
    const bytes = page.reduce((sum, { payload }) => sum + payload.length, 0);
    // The log goes on behind a page that isn't full.
    if (page.length < PAGE || keptBytes + bytes > BUDGET_BYTES) this.shared.drop(key);
    else {
      keptBytes += bytes;
      setTimeout(() => {
        keptBytes -= bytes;
      }, KEPT_MS).unref();
    }
    return page;
  }

  private readNow(from: Position): Promise<RoomEvent[]> {
    this.stats.replayReads++;
    return this.log.after(this.streamId, from, PAGE);
  }
}
