/** The interval until the server has sent its own, ms. */
const DEFAULT_INTERVAL_MS = 24_000;

/**
 * Detects a dead connection that wasn't closed. Browsers answer the server's pings by themselves and hide them. So after an
 * interval without a message it calls `ping`, and after one more `giveUp`. A timer that fires late, as in a
 * background page, only delays the ping.
 */
export class LivenessMonitor {
  private readonly ping: () => void;
  private readonly giveUp: () => void;
  private intervalMs = DEFAULT_INTERVAL_MS;
  private receivedAt = 0;
  private pingedAt: number | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor({ ping, giveUp }: { ping: () => void; giveUp: () => void }) {
    this.ping = ping;
    this.giveUp = giveUp;
  }

  /** Call it when a connection is being opened, and again when the server has sent its interval. */
  start(intervalMs = DEFAULT_INTERVAL_MS): void {
    this.stop();
    this.intervalMs = intervalMs;
    this.received();
    this.wait(intervalMs);
  }

  /** Call it for each message. */
  received(): void {
    this.receivedAt = performance.now();
    this.pingedAt = null;
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
    const since = this.pingedAt ?? this.receivedAt;
    // Timers may fire early, by less than a millisecond.
    const leftMs = since + this.intervalMs - now;
    if (leftMs >= 1) this.wait(leftMs);
    else if (this.pingedAt !== null) this.giveUp();
    else {
      this.pingedAt = now;
      this.ping();
      this.wait(this.intervalMs);
    }
  }
}
