/** What a server says that has named no interval yet. */
const USUAL_MS = 24_000;

/**
 * Notices a connection that is dead without having been closed. Browsers answer the server's pings by themselves and
 * show nothing of them: so after an interval in which nothing was heard it asks, and after one more it gives up. A timer
 * that comes late, as in a page in the background, only makes it ask later.
 */
export class Silence {
  private readonly ask: () => void;
  private readonly giveUp: () => void;
  private intervalMs = USUAL_MS;
  private heardAt = 0;
  private askedAt: number | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor({ ask, giveUp }: { ask: () => void; giveUp: () => void }) {
    this.ask = ask;
    this.giveUp = giveUp;
  }

  /** Of a connection that is being opened, and again when the server has named its interval. */
  start(intervalMs = USUAL_MS): void {
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
    this.timer = setTimeout(() => this.look(), ms);
  }

  private look(): void {
    const now = performance.now();
    const since = this.askedAt ?? this.heardAt;
    // Timers may be early by less than a millisecond.
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
