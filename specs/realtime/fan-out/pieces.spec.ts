import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { createFanOut } from "../../../realtime/gateway/socket/fan-out.ts";
import { seededRandom, withSeed } from "../../stress/seed.ts";

const TOPIC = "chat:spec";
const BIG = 1_500;

/** Stands where uWS does: who follows a sub-topic gets what is published to it. */
class Listener {
  readonly got: string[] = [];
  readonly follows = new Set<string>();

  follow(subTopic: string): void {
    this.follows.add(subTopic);
  }

  unfollow(subTopic: string): void {
    this.follows.delete(subTopic);
  }
}

function given(count: number) {
  const listeners = new Set<Listener>();
  /** Sockets that were sent something since the last look. */
  let reached = new Set<Listener>();
  const { follow, unfollow, publish, ...rest } = createFanOut({
    publish(subTopic, frame) {
      for (const listener of listeners) {
        if (!listener.follows.has(subTopic)) continue;
        listener.got.push(String(frame));
        reached.add(listener);
      }
    },
  });
  function join(): Listener {
    const listener = new Listener();
    listeners.add(listener);
    follow(listener, TOPIC);
    return listener;
  }
  return {
    ...rest,
    publish: (topic: string, text: string) => publish(topic, Buffer.from(text)),
    join,
    leave: (listener: Listener) => unfollow(listener, TOPIC),
    all: Array.from({ length: count }, join),
    reached() {
      const { size } = reached;
      reached = new Set();
      return size;
    },
  };
}

describe("A frame to all of a room", () => {
  it("goes out at once when they are few", () => {
    const { all, publish } = given(512);

    publish(TOPIC, "1");
    publish(TOPIC, "2");

    for (const { got } of all) expect(got).deep.equal(["1", "2"]);
  });

  it("goes out in pieces when they are many, and in between all else has its turn", async () => {
    const { all, publish, reached } = given(BIG);
    publish(TOPIC, "1");
    publish(TOPIC, "2");
    const pieces = [reached()];
    while (all.some(({ got }) => got.length < 2)) {
      await turn();
      pieces.push(reached());
    }

    expect(Math.max(...pieces)).equal(512);
    for (const { got } of all) expect(got).deep.equal(["1", "2"]);
  });

  it("isn't sent again to who joins between two pieces, and what follows is", async () => {
    const { publish, join } = given(BIG);
    publish(TOPIC, "before");
    const joined = [join()];
    await turn();
    joined.push(join());
    publish(TOPIC, "after");
    for (let i = 0; i < 10; i++) await turn();

    for (const { got } of joined) expect(got).deep.equal(["after"]);
  });

  it("isn't sent to who has left before its piece", async () => {
    const { all, publish, leave } = given(BIG);
    publish(TOPIC, "1");
    for (const listener of all) leave(listener);
    for (let i = 0; i < 10; i++) await turn();

    expect(all.flatMap(({ got }) => got)).deep.equal([]);
    expect(all.flatMap(({ follows }) => [...follows])).deep.equal([]);
  });

  it("is known to have been sent to everybody, and only then", async () => {
    const { all, publish, sent } = given(BIG);
    publish(TOPIC, "1");

    await sent(TOPIC);

    for (const { got } of all) expect(got).deep.equal(["1"]);
    await sent(TOPIC);
    await sent("chat:of nobody");
  });

  it("doesn't wait for pieces behind more than a reader may lack", () => {
    const { all, publish } = given(BIG);
    const frames = Array.from({ length: 9 }, (_, i) => String(i).repeat(15 * 1024));
    for (const frame of frames) publish(TOPIC, frame);

    for (const { got } of all) expect(got.join()).equal(frames.slice(0, got.length).join());
    for (const { got } of all) expect(got.length).least(5);
  });

  it("reaches each in order and once, whichever sockets come and go between pieces", () =>
    withSeed(async (seed) => {
      const random = seededRandom(seed);
      const { all, publish, join, leave, followers, sent } = given(BIG);
      const present = new Map(all.map((listener) => [listener, 0]));
      const left = new Map<Listener, number>();
      let published = 0;
      for (let step = 0; step < 3_000; step++) {
        const chance = random();
        if (chance < 0.3) publish(TOPIC, String(published++));
        else if (chance < 0.6) present.set(join(), published);
        else if (chance < 0.9) {
          const [gone, since] = [...present][Math.floor(random() * present.size)] ?? [];
          if (!gone || since === undefined) continue;
          leave(gone);
          present.delete(gone);
          expectWhole(gone, since);
          left.set(gone, gone.got.length);
        } else await turn();
      }
      await sent(TOPIC);

      expect(followers(TOPIC)).equal(present.size);
      for (const [{ got }, length] of left) expect(got, "after leaving").length(length);
      for (const [listener, since] of present) {
        expectWhole(listener, since);
        expect(listener.got).length(published - since);
      }
    }));
});

/** From where it joined on, without a gap or a repeat. */
function expectWhole({ got }: Listener, since: number): void {
  expect(got.join()).equal(got.map((_, i) => String(since + i)).join());
}
