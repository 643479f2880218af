import { DIGIT_BYTES, DIGITS, LAST_BYTE_OF_ZERO, MARK } from "../dialects.ts";
import type { RoomCheck } from "./room-check.ts";

const NEEDLE = Buffer.from(MARK);
const WIDTH = NEEDLE.length + DIGITS * DIGIT_BYTES;
const [FIRST = 0] = NEEDLE;

/** What is counted over all sockets of this process. */
export const tally = { deliveries: 0, reads: 0 };

/** The distance of two messages in one frame: they are alike, so the next one is looked for there first. */
let stride = WIDTH;

/** Counts what one socket is sent, and shows each delivery to its room. */
export class Viewer {
  private readonly room: RoomCheck;
  private readonly onDelivery: (n: number) => void;
  private count = 0;
  /** The end of the last read, when it may be the beginning of a mark. */
  private carry: Buffer | null = null;

  constructor(room: RoomCheck, onDelivery: (n: number) => void) {
    this.room = room;
    this.onDelivery = onDelivery;
  }

  get seen(): number {
    return this.count;
  }

  read(read: Buffer): void {
    const bytes = this.carry ? Buffer.concat([this.carry, read]) : read;
    this.carry = null;
    const before = this.count;
    const end = bytes.length;
    let after = 0;
    let at = bytes.indexOf(NEEDLE);
    while (at >= 0 && at + WIDTH <= end) {
      const n = numberAt(bytes, at + NEEDLE.length);
      this.room.arrived(n, this.count++, bytes, at);
      this.onDelivery(n);
      after = at + WIDTH;
      at = nextMark(bytes, at, end);
    }
    if (this.count > before) {
      tally.deliveries += this.count - before;
      tally.reads++;
    }
    const tail = at >= 0 ? at : bytes.indexOf(FIRST, Math.max(after, end - NEEDLE.length + 1));
    if (tail >= 0 && tail < end) this.carry = Buffer.from(bytes.subarray(tail));
  }
}

function nextMark(bytes: Buffer, at: number, end: number): number {
  const next = at + stride;
  if (next + NEEDLE.length <= end && NEEDLE.every((byte, i) => bytes[next + i] === byte)) return next;
  const found = bytes.indexOf(NEEDLE, at + WIDTH);
  if (found >= 0) stride = found - at;
  return found;
}

function numberAt(bytes: Buffer, at: number): number {
  let n = 0;
  for (let last = at + DIGIT_BYTES - 1; last < at + DIGITS * DIGIT_BYTES; last += DIGIT_BYTES)
    n = n * 10 + (bytes[last] ?? LAST_BYTE_OF_ZERO) - LAST_BYTE_OF_ZERO;
  return n;
}
