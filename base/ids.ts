import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";
import { processClock } from "./clock.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

const ID_BYTES = 16;
/** A pool, since getting random bytes costs nearly the same for many as for few, and more than everything else in an id. */
const pool = new Uint8Array(ID_BYTES * 256);
let used = pool.length;

function random(): Uint8Array {
  if (used >= pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const drawn = pool.slice(used, used + ID_BYTES);
  pool.fill(0, used, used + ID_BYTES);
  used += ID_BYTES;
  return drawn;
}

let msecs = 0;
let seq = 0;

/**
 * A new UUIDv7: sorted by creation, even within one millisecond, so that documents made together are stored together. Of two hosts
 * too, as nearly as their clocks are measured.
 */
export function newId(): string {
  const drawn = random();
  const now = processClock.now();
  if (now > msecs) {
    msecs = now;
    seq = new DataView(drawn.buffer).getInt32(6) & 0x7fff_ffff;
  } else {
    seq = (seq + 1) | 0;
    if (seq === 0) msecs++;
  }
  return v7({ random: drawn, msecs, seq });
}

export function isUuid(value: string): boolean {
  return UUID.test(value);
}
