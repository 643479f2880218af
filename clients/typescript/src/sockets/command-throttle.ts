/**
 * The service's limit per socket is a burst of 60 commands and 20 a second. The burst here is smaller, since a network may bunch
 * commands.
 */
const BURST = 50;
const MS_PER_COMMAND = 50;
/** A client's commands and topics exceed this only when it subscribes and leaves without end. */
const MAX_WAITING = 1_000;

/** Sends a socket's commands in order, throttled to the service's rate limit (a token bucket). */
export class CommandThrottle {
  readonly #send: (frame: string) => void;
  #waiting: string[] = [];
  /** When the bucket is full again; of performance.now(). */
  #earnedAt = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(send: (frame: string) => void) {
    this.#send = send;
  }

  /** False when the queue is full. */
  push(frame: string): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(frame);
    if (!this.#timer) this.#flow();
    return true;
  }

  /** Reset for the next socket: its bucket is full, and waiting commands are queued again by the caller. */
  reset(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting = [];
    this.#earnedAt = 0;
  }

  #flow(): void {
    this.#timer = null;
    const now = performance.now();
    this.#earnedAt = Math.max(this.#earnedAt, now);
    const free = Math.floor(BURST - (this.#earnedAt - now) / MS_PER_COMMAND);
    const batch = this.#waiting.splice(0, Math.max(0, free));
    this.#earnedAt += batch.length * MS_PER_COMMAND;
    for (const frame of batch) this.#send(frame);
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#flow(), MS_PER_COMMAND);
  }
}
