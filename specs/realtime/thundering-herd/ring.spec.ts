import { expect } from "chai";
import fc from "fast-check";
import { Ring } from "../../../realtime/gateway/feed/ring.ts";
import type { RoomEvent } from "../../../realtime/rooms/event.ts";

const EPOCH = 7;

const event = (seq: number, size = 100, epoch = EPOCH): RoomEvent => ({
  epoch,
  seq,
  payload: Buffer.alloc(size, 120),
});
const events = (from: number, to: number, size = 100) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => event(from + i, size));
const seqsAfter = (ring: Ring, seq: number, head: number) =>
  ring.after({ epoch: EPOCH, seq }, { epoch: EPOCH, seq: head })?.map((one) => one.seq) ?? null;

describe("A room's ring", () => {
  it("gives exactly what came after a position, or nothing when it doesn't reach back so far", () => {
    const sizes = fc.record({
      count: fc.integer({ min: 1, max: 600 }),
      size: fc.integer({ min: 50, max: 3_000 }),
    });
    fc.assert(
      fc.property(sizes, fc.nat(600), ({ count, size }, requested) => {
        const ring = new Ring();
        for (const one of events(1, count, size)) ring.push(one);
        const from = Math.min(requested, count);
        const seqs = seqsAfter(ring, from, count);

        const kept = Math.min(256, Math.max(1, Math.floor((256 * 1024) / size)), count);
        if (from < count - kept) expect(seqs).equal(null);
        else expect(seqs).deep.equal(Array.from({ length: count - from }, (_, i) => from + 1 + i));
        ring.clear();
      }),
    );
  });

  it("takes in what was read of the log where it meets its own events, without a gap or a repeat", () => {
    const page = fc.record({ from: fc.integer({ min: 1, max: 300 }), length: fc.nat(256), own: fc.nat(256) });
    fc.assert(
      fc.property(page, ({ from, length, own }) => {
        const head = 320;
        const ring = new Ring();
        for (const one of events(head - own + 1, head)) ring.push(one);
        const last = Math.min(head, from + length - 1);

        ring.extendBack(events(from, last), { epoch: EPOCH, seq: head });

        const meets = length > 0 && from <= head - own && last >= head - own;
        const reached = meets ? Math.max(from, head - 256 + 1) : head - own + 1;
        const first = Math.min(reached, head - own + 1);
        if (own > 0 || meets) {
          expect(seqsAfter(ring, first - 1, head)).deep.equal(
            Array.from({ length: head - first + 1 }, (_, i) => first + i),
          );
        }
        if (first > 1) expect(seqsAfter(ring, first - 2, head)).equal(null);
        ring.clear();
      }),
    );
  });

  it("takes nothing in of another epoch, nor what has a gap", () => {
    const ring = new Ring();
    for (const one of events(11, 20)) ring.push(one);
    const head = { epoch: EPOCH, seq: 20 };

    ring.extendBack([event(10, 100, EPOCH - 1)], head);
    ring.extendBack([event(8), event(9)], head);
    ring.extendBack([event(7), event(10)], head);

    expect(seqsAfter(ring, 9, 20)).deep.equal([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    expect(seqsAfter(ring, 8, 20)).equal(null);
    ring.clear();
  });

  it("keeps its own bytes alone, and nothing of what came with them", () => {
    const ring = new Ring();
    const read = Buffer.alloc(64 * 1024, 120);
    const part = (seq: number) => ({ ...event(seq), payload: read.subarray(seq * 100, seq * 100 + 100) });
    for (let seq = 11; seq <= 20; seq++) ring.push(part(seq));

    ring.extendBack([part(9), part(10)], { epoch: EPOCH, seq: 20 });

    const kept = ring.after({ epoch: EPOCH, seq: 8 }, { epoch: EPOCH, seq: 20 }) ?? [];
    expect(kept).length(12);
    for (const { payload } of kept) expect(payload.buffer.byteLength).equal(100);
    ring.clear();
  });
});
