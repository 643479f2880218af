import { cursorOf, isBefore, type Position } from "../../../base/room-position.ts";
import type { RoomEvent } from "../../rooms/event.ts";
import { SharedReads } from "./shared-reads.ts";

/** Events per page, as many as a ring holds. Each page begins in the middle of the one before. */
const PAGE = 256;
const PAGE_STRIDE = 128;
/** About as long as a wave of clients takes to reconnect after losing its worker. */
const CACHE_MS = 5_000;
const MAX_PAGES = 8;
/** Total bytes of cached pages over all rooms; beyond it a page isn't cached and serves only those who already wait for it. */
const BUDGET_BYTES = 32 * 1024 * 1024;

let cachedBytes = 0;

export type RangeReader = {
  /** At most `count` events after a position, oldest first. */
  after(streamId: string, position: Position, count: number): Promise<RoomEvent[]>;
};

/** Counters of the reads for replays, per process. */
export type ReplayStats = { replayReads: number; replayShared: number; ringReplays: number };

/**
 * Pages of a room's log, for clients whose position is older than the ring. Pages begin at multiples of a fixed number, so
 * that clients that were cut off at different events share them, and each page is read once within some seconds.
 */
export class LogPages {
  private readonly shared = new SharedReads<string, RoomEvent[]>({
    ttlMs: CACHE_MS,
    slowMs: CACHE_MS,
    maxEntries: MAX_PAGES,
  });
  private readonly streamId: string;
  private readonly log: RangeReader;
  private readonly stats: ReplayStats;

  constructor(options: { streamId: string; log: RangeReader; stats: ReplayStats }) {
    this.streamId = options.streamId;
    this.log = options.log;
    this.stats = options.stats;
  }

  /** A page of events after a position, oldest first; empty when the log ends there. */
  async after(position: Position, head: Position): Promise<RoomEvent[]> {
    // Few positions of a past epoch are requested, so these aren't aligned.
    const offset = position.epoch === head.epoch ? position.seq % PAGE_STRIDE : 0;
    const from = { epoch: position.epoch, seq: position.seq - offset };
    const key = cursorOf(from);
    const isShared = this.shared.has(key);
    if (isShared) this.stats.replayShared++;
    const page = await this.shared.get(key, (drop) => this.read(from, drop));
    const later = page.filter((event) => isBefore(position, event));
    // A shared read may have begun before the events that this caller missed were appended.
    return later.length === 0 && isShared ? this.readNow(position) : later;
  }

  /** Drops the cached pages after a deletion, so that deleted messages aren't sent again. */
  clear(): void {
    this.shared.clear();
  }

  private async read(from: Position, drop: () => void): Promise<RoomEvent[]> {
    const page = await this.readNow(from);
    const bytes = page.reduce((sum, { payload }) => sum + payload.length, 0);
    // A page that isn't full isn't cached, since the log will grow past it.
    if (page.length < PAGE || cachedBytes + bytes > BUDGET_BYTES) drop();
    else {
      cachedBytes += bytes;
      setTimeout(() => {
        cachedBytes -= bytes;
      }, CACHE_MS).unref();
    }
    return page;
  }

  private readNow(from: Position): Promise<RoomEvent[]> {
    this.stats.replayReads++;
    return this.log.after(this.streamId, from, PAGE);
  }
}
