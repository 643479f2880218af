import { expect } from "chai";
import fc from "fast-check";
import { createPacer, type Paced } from "../../../realtime/gateway/feed/pacing.ts";
import { manualTimers } from "./manual-timers.ts";

type Frame = { at: number; events: number[] };

/** Rooms that note when they send what, a pacer, and a time that the spec moves. */
function stage() {
  const timers = manualTimers();
  const pacer = createPacer<Paced>(timers);
  function room(audience = 0) {
    const held: number[] = [];
    const frames: Frame[] = [];
    const paced = {
      lastSentAt: Number.NEGATIVE_INFINITY,
      audience: () => audience,
      flush() {
        if (held.length > 0) frames.push({ at: timers.now(), events: held.splice(0) });
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
  /** Two events every five milliseconds to each of them, for so long. */
  function talk(rooms: readonly ReturnType<typeof room>[], ms: number): void {
    for (let at = 0; at < ms; at += 5) {
      for (const one of rooms) one.receive(timers.now(), timers.now());
      timers.pass(5);
    }
  }
  return { timers, pacer, room, talk };
}

describe("pacing", () => {
  it("sends the first event at once, gathers what follows within 10 ms, and sends it as one", () => {
    const { timers, room } = stage();
    const hot = room();

    for (let event = 0; event < 25; event++) {
      hot.receive(event);
      timers.pass(1);
    }
    timers.pass(50);

    const [first, ...rest] = hot.frames;
    expect(first).deep.equal({ at: 0, events: [0] });
    expect(rest.map(({ at }) => at)).deep.equal([10, 20, 30]);
    expect(hot.frames.flatMap(({ events }) => events)).deep.equal([...Array(25).keys()]);
  });

  it("lets a quiet room wait for nothing while another is hot", () => {
    const { timers, room } = stage();
    const [hot, quiet] = [room(), room()];

    for (let event = 0; event < 200; event++) {
      hot.receive(event);
      if (event % 40 === 7) quiet.receive(event);
      timers.pass(1);
    }

    expect(quiet.frames.map(({ at, events }) => [at, ...events])).deep.equal(
      [7, 47, 87, 127, 167].map((event) => [event, event]),
    );
    expect(hot.frames.length).within(20, 21);
  });

  it("gathers for longer the more sockets expensive rooms have, and for at most 50 ms", () => {
    const intervals = [[300], [1_000], [500, 1_000], [9_000], []].map((audiences) => {
      const { pacer, room, talk } = stage();
      talk(audiences.map(room), 600);
      return pacer.intervalMs();
    });

    expect(intervals).deep.equal([10, 20, 30, 50, 10]);
  });

  it("lets only those rooms wait longer that sending costs much", () => {
    const { timers, room, talk } = stage();
    const [large, small] = [room(2_500), room(10)];
    talk([large, small], 600);
    const from = timers.now();
    talk([large, small], 500);

    const since = (frames: Frame[]) => frames.filter(({ at }) => at >= from).length;
    expect(since(large.frames)).within(9, 11);
    expect(since(small.frames)).within(45, 51);
  });

  it("gathers for 10 ms again once expensive rooms fall silent", () => {
    const { timers, pacer, room, talk } = stage();
    talk([room(2_500)], 600);
    expect(pacer.intervalMs()).equal(50);

    timers.pass(1_000);

    expect(pacer.intervalMs()).equal(10);
  });

  it("sends what it holds when somebody joins, and nothing of a room that is gone or once it is stopped", () => {
    const { timers, pacer, room } = stage();
    const [joined, gone, left] = [room(), room(), room()];
    for (const one of [joined, gone, left]) one.receive(1);
    timers.pass(1);
    for (const one of [joined, gone, left]) one.receive(2);

    pacer.flush(joined.paced);
    pacer.forget(gone.paced);
    pacer.stop();
    timers.pass(100);

    expect(joined.frames.map(({ at }) => at)).deep.equal([0, 1]);
    for (const { frames } of [gone, left]) expect(frames).deep.equal([{ at: 0, events: [1] }]);
    expect(timers.waiting()).equal(0);
  });

  it("delays no event past the interval, keeps the order, and sends a room at most once in it", () => {
    const gaps = fc.array(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 2 })), { maxLength: 200 });
    fc.assert(
      fc.property(gaps, fc.constantFrom(0, 1_000, 9_000), (arrivals, audience) => {
        const { timers, room } = stage();
        const rooms = [room(audience), room(audience), room(audience)];
        const arrivedAt: number[] = [];
        for (const [gap, which] of arrivals) {
          timers.pass(gap);
          rooms[which]?.receive(arrivedAt.push(timers.now()) - 1);
        }
        timers.pass(200);

        const sent = rooms.flatMap(({ frames }) => frames.flatMap(({ events }) => events));
        expect(sent.sort((a, b) => a - b)).deep.equal([...arrivedAt.keys()]);
        for (const { frames } of rooms) {
          for (const { at, events } of frames) {
            for (const event of events) expect(at - (arrivedAt[event] ?? 0)).most(audience === 0 ? 10 : 50);
            expect(events).deep.equal([...events].sort((a, b) => a - b));
          }
          const pauses = frames.slice(1).map(({ at }, i) => at - (frames[i]?.at ?? 0));
          for (const pause of pauses) expect(pause).least(9);
        }
      }),
    );
  });
});
