/** The interval until the server has sent its own, ms. */
const DEFAULT_INTERVAL_MS = 24_000;

/**
 * Detects a dead connection that wasn't closed. Browsers answer the server's pings by themselves and hide them. So after an
 * interval without a message it calls `ask`, which pings, and after one more `giveUp`. A timer that fires late, as in a
 * background page, only delays the ping.
 */
export class LivenessMonitor {
  private readonly ask: () => void;
  private readonly giveUp: () => void;
  private intervalMs = DEFAULT_INTERVAL_MS;
  private heardAt = 0;
  private askedAt: number | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor({ ask, giveUp }: { ask: () => void; giveUp: () => void }) {
    this.ask = ask;
    this.giveUp = giveUp;
  }

  /** Call it when a connection is being opened, and again when the server has sent its interval. */
  start(intervalMs = DEFAULT_INTERVAL_MS): void {
    this.stop();
    this.intervalMs = intervalMs;
    this.heard();
    this.wait(intervalMs);
  }

  heard(): void {
    this.heardAt = performance.now();
    this.askedAt = null;
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private wait(ms: number): void {
    this.timer = setTimeout(() => this.check(), ms);
  }

  private check(): void {
    const now = performance.now();
    const since = this.askedAt ?? this.heardAt;
    // Timers may fire early, by less than a millisecond.
    const leftMs = since + this.intervalMs - now;
    if (leftMs >= 1) this.wait(leftMs);
    else if (this.askedAt !== null) this.giveUp();
    else {
      this.askedAt = now;
      this.ask();
      this.wait(this.intervalMs);
    }
  }
}
