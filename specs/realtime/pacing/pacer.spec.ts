import { expect } from "chai";
import fc from "fast-check";
import { createPacer, type Paced } from "../../../realtime/gateway/feed/pacing.ts";
import { manualLoadProbe } from "./manual-load-probe.ts";

type Frame = { at: number; events: number[] };

/** Rooms that note when they send what, a pacer, and a time and load that the spec moves. */
function stage() {
  const probe = manualLoadProbe();
  const pacer = createPacer<Paced>(probe);
  function room(audience = 0) {
    const held: number[] = [];
    const frames: Frame[] = [];
    const paced = {
      lastSentAt: Number.NEGATIVE_INFINITY,
      audience: () => audience,
      flush() {
        if (held.length > 0) frames.push({ at: probe.now(), events: held.splice(0) });
      },
    };
    return {
      frames,
      paced,
      /** As a read of the tail would: several events, then settled. */
      receive(...events: number[]) {
        held.push(...events);
        for (const _ of events) pacer.touch(paced);
        pacer.settle();
      },
    };
  }
  /** Busy for so long that the pacer has seen it. */
  function busy(utilisation: number, ms = 1_000) {
    probe.become(utilisation);
    probe.pass(ms);
  }
  return { probe, pacer, room, busy };
}

describe("pacing", () => {
  it("sends the first event at once, gathers what follows within 10 ms, and sends it as one", () => {
    const { probe, room } = stage();
    const hot = room();

    for (let event = 0; event < 25; event++) {
      hot.receive(event);
      probe.pass(1);
    }
    probe.pass(50);

    const [first, ...rest] = hot.frames;
    expect(first).deep.equal({ at: 0, events: [0] });
    expect(rest.map(({ at }) => at)).deep.equal([10, 20, 30]);
    expect(hot.frames.flatMap(({ events }) => events)).deep.equal([...Array(25).keys()]);
  });

  it("lets a quiet room wait for nothing while another is hot", () => {
    const { probe, room } = stage();
    const [hot, quiet] = [room(), room()];

    for (let event = 0; event < 200; event++) {
      hot.receive(event);
      if (event % 40 === 7) quiet.receive(event);
      probe.pass(1);
    }

    expect(quiet.frames.map(({ at, events }) => [at, ...events])).deep.equal(
      [7, 47, 87, 127, 167].map((event) => [event, event]),
    );
    expect(hot.frames.length).within(20, 21);
  });

  it("gathers for 25 and 50 ms as the event loop gets busy, and less again when it is idle", () => {
    const { pacer, busy } = stage();
    const seen = [0.2, 0.6, 0.9, 0.2].map((load) => {
      busy(load, 500);
      return pacer.intervalMs();
    });
    busy(0.2, 500);

    expect(seen).deep.equal([10, 25, 50, 25]);
    expect(pacer.intervalMs()).equal(10);
  });

  it("lets only those rooms wait longer that sending costs much", () => {
    const { probe, room, busy } = stage();
    const [large, small] = [room(1_000), room(10)];
    const talk = (ms: number) => {
      for (let at = 0; at < ms; at += 5) {
        large.receive(probe.now());
        small.receive(probe.now());
        probe.pass(5);
      }
    };
    busy(0.9, 0);
    talk(600);
    const from = probe.now();
    talk(500);

    const since = (frames: Frame[]) => frames.filter(({ at }) => at >= from).length;
    expect(since(large.frames)).within(9, 11);
    expect(since(small.frames)).within(45, 51);
  });

  it("doesn't swing when gathering for longer is what relieved the event loop", () => {
    const { pacer, busy } = stage();
    busy(0.8);

    for (const load of [0.6, 0.7, 0.58]) {
      busy(load);
      expect(pacer.intervalMs()).equal(50);
    }
    busy(0.5, 500);
    for (const load of [0.45, 0.36]) {
      busy(load);
      expect(pacer.intervalMs()).equal(25);
    }
  });

  it("sends what it holds when somebody joins, and nothing of a room that is gone or once it is stopped", () => {
    const { probe, pacer, room } = stage();
    const [joined, gone, left] = [room(), room(), room()];
    for (const one of [joined, gone, left]) one.receive(1);
    probe.pass(1);
    for (const one of [joined, gone, left]) one.receive(2);

    pacer.flush(joined.paced);
    pacer.forget(gone.paced);
    pacer.stop();
    probe.pass(100);

    expect(joined.frames.map(({ at }) => at)).deep.equal([0, 1]);
    for (const { frames } of [gone, left]) expect(frames).deep.equal([{ at: 0, events: [1] }]);
    expect(probe.waiting()).equal(0);
  });

  it("delays no event past the interval, keeps the order, and sends a room at most once in it", () => {
    const gaps = fc.array(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 2 })), { maxLength: 200 });
    fc.assert(
      fc.property(gaps, fc.constantFrom(0.1, 0.6, 0.9), (arrivals, load) => {
        const { probe, pacer, room, busy } = stage();
        busy(load, 3_000);
        const rooms = [room(), room(), room()];
        const arrivedAt: number[] = [];
        for (const [gap, which] of arrivals) {
          probe.pass(gap);
          rooms[which]?.receive(arrivedAt.push(probe.now()) - 1);
        }
        probe.pass(200);

        const interval = pacer.intervalMs();
        const sent = rooms.flatMap(({ frames }) => frames.flatMap(({ events }) => events));
        expect(sent.sort((a, b) => a - b)).deep.equal([...arrivedAt.keys()]);
        for (const { frames } of rooms) {
          for (const { at, events } of frames) {
            for (const event of events) expect(at - (arrivedAt[event] ?? 0)).most(interval);
            expect(events).deep.equal([...events].sort((a, b) => a - b));
          }
          const pauses = frames.slice(1).map(({ at }, i) => at - (frames[i]?.at ?? 0));
          for (const pause of pauses) expect(pause).least(9);
        }
      }),
    );
  });
});
