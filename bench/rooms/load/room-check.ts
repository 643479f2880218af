/** Messages of one run of the load generator, at most; their numbers go on over all of its rooms. */
export const MAX_MESSAGES = 1 << 24;
/** As many of them as one room sees. */
const MOST = 1 << 17;
const SEQ = Buffer.from('"seq":');
/** By number: whether a message has its place in its room, where it must not have a second one. */
const isPlaced = new Uint8Array(MAX_MESSAGES);

/**
 * One room as its viewers see it: the first one to see the k-th message says which it is, and everybody else must
 * see the same one there. So each delivery is looked at, for the price of two numbers.
 */
export class RoomCheck {
  /** Sockets that see every message. */
  viewers = 0;
  sent = 0;
  /** Of those that were sent, messages of which the sender doesn't know what became: a refusal doesn't always say it. */
  unknown = 0;
  /** Deliveries that came where another was due. */
  disorder = 0;
  private delivered = 0;
  private readonly order: Int32Array;
  private readonly seen: Int32Array;
  /** Of ours: the `seq` of a room's first message, null before it. */
  private firstSeq: number | null = null;
  private readonly hasSeq: boolean;
  private readonly onComplete: (n: number) => void;

  constructor({ most = MOST, hasSeq, onComplete }: RoomCheckOptions) {
    this.order = new Int32Array(most);
    this.seen = new Int32Array(most);
    this.hasSeq = hasSeq;
    this.onComplete = onComplete;
  }

  /** Deliveries that are surely still to come. */
  get missing(): number {
    return Math.max(0, (this.sent - this.unknown) * this.viewers - this.delivered);
  }

  /** Message `n` as the `k`-th of a viewer; its number lies at `at` in `bytes`. */
  arrived(n: number, k: number, bytes: Buffer, at: number): void {
    const known = this.order[k];
    if (known === undefined) throw new Error(`a room sees at most ${this.order.length} messages in a run`);
    this.delivered++;
    if (known === 0) this.first(n, k, bytes, at);
    else if (known !== n + 1) this.disorder++;
    const seen = (this.seen[k] ?? 0) + 1;
    this.seen[k] = seen;
    if (seen === this.viewers) this.onComplete(n);
  }

  private first(n: number, k: number, bytes: Buffer, at: number): void {
    this.order[k] = n + 1;
    if (isPlaced[n] === 1) this.disorder++;
    isPlaced[n] = 1;
    if (!this.hasSeq) return;
    const before = bytes.lastIndexOf(SEQ, at);
    // It may lie in the read before; the next message in this one is looked at again.
    if (before < 0) return;
    const seq = Number.parseInt(bytes.toString("latin1", before + SEQ.length, before + SEQ.length + 12), 10);
    this.firstSeq ??= seq - k;
    if (seq !== this.firstSeq + k) this.disorder++;
  }
}

type RoomCheckOptions = {
  most?: number;
  /** Whether events carry a contiguous `seq`. */
  hasSeq: boolean;
  /** Every viewer has message `n`. */
  onComplete: (n: number) => void;
};
