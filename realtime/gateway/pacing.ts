import { performance } from "node:perf_hooks";
import type { RoomFeed } from "./room-feed.ts";

/**
 * Leading edge first: a room not sent to for an interval gets its events at once; what follows within it is
 * gathered and goes out as few frames. A send costs the same for one event or fifty, so this is most of what a
 * hot room saves; the interval grows when the event loop is busy.
 */
export class Pacer {
  private readonly touched = new Set<RoomFeed>();
  private readonly cooling = new Set<RoomFeed>();
  private timer: NodeJS.Timeout | null = null;
  private intervalMs = 10;
  private utilisation = performance.eventLoopUtilization();
  private readonly sampler = setInterval(() => this.sample(), 1_000).unref();

  touch(feed: RoomFeed): void {
    this.touched.add(feed);
  }

  /** After everything that one read brought was accepted. */
  settle(): void {
    const now = performance.now();
    for (const feed of this.touched) {
      if (now - feed.lastSentAt >= this.intervalMs) this.send(feed, now);
      else this.cooling.add(feed);
    }
    this.touched.clear();
    this.arm();
  }

  /** Sends what a feed holds now, so that a socket can join behind it. */
  flush(feed: RoomFeed): void {
    this.send(feed, performance.now());
  }

  forget(feed: RoomFeed): void {
    this.touched.delete(feed);
    this.cooling.delete(feed);
  }

  stop(): void {
    clearInterval(this.sampler);
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private send(feed: RoomFeed, now: number): void {
    this.forget(feed);
    feed.lastSentAt = now;
    feed.flush();
  }

  private arm(): void {
    if (this.timer || this.cooling.size === 0) return;
    let due = Number.POSITIVE_INFINITY;
    for (const feed of this.cooling) due = Math.min(due, feed.lastSentAt + this.intervalMs);
    this.timer = setTimeout(() => this.sendDue(), Math.max(1, due - performance.now()));
  }

  private sendDue(): void {
    this.timer = null;
    const now = performance.now();
    for (const feed of [...this.cooling]) {
      // A millisecond early saves a timer of its own.
      if (now - feed.lastSentAt >= this.intervalMs - 1) this.send(feed, now);
    }
    this.arm();
  }

  private sample(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.utilisation);
    this.utilisation = now;
    this.intervalMs = utilization > 0.75 ? 50 : utilization > 0.5 ? 25 : 10;
  }
}
