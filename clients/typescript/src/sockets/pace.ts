/** The service takes 60 commands at once and 20 a second of a socket; fewer at once, for those that a network bunches. */
const AT_ONCE = 50;
const MS_A_COMMAND = 50;
/** More than a client's commands and topics are only when topics are asked for and left without end. */
const MAX_WAITING = 1_000;

/** Lets a socket's commands out in their order, no faster than they are taken. */
export class Pace {
  readonly #send: (frame: string) => void;
  #waiting: string[] = [];
  /** When all that went out is earned again; of performance.now(). */
  #earnedAt = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(send: (frame: string) => void) {
    this.#send = send;
  }

  /** False when too many wait. */
  push(frame: string): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(frame);
    if (!this.#timer) this.#flow();
    return true;
  }

  /** For the next socket: it has all its allowance, and is asked anew for what waits. */
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
    const free = Math.floor(AT_ONCE - (this.#earnedAt - now) / MS_A_COMMAND);
    const going = this.#waiting.splice(0, Math.max(0, free));
    this.#earnedAt += going.length * MS_A_COMMAND;
    for (const frame of going) this.#send(frame);
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#flow(), MS_A_COMMAND);
  }
}
