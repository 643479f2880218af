import { expect } from "chai";
import { BackOff } from "../../../actors/host/back-off.ts";
import { createOutbox, type RoomEvent } from "../../../actors/host/outbox.ts";
import { outboxDoc } from "../../../actors/host/outbox-draft.ts";
import { unavailable } from "../../../contract/errors.ts";
import { createOutboxSweep, startOutboxRelay } from "../../../jobs/host/outbox-relay/relay.ts";
import type { OutboxDoc } from "../../../store/mongo/host/outbox.ts";
import { openWorld, type World } from "../../actors/host/world.ts";
import { eventually } from "../../support/eventually.ts";

/** Rows older than that are the relay's. */
const AGE_MS = 1_000;
/** Sources that are published at a time. */
const AT_ONCE = 16;
/** Rows of one source that are published at a time. */
const PAGE = 100;
/** Rows of a source that needs three turns. */
const THREE_TURNS = 2 * PAGE + 1;

describe("the outbox relay", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());
  afterEach(() => rows().deleteMany({}));

  const rows = () => world.mongo.db.collection<OutboxDoc>("outbox");

  /** What a process that died has left: `count` rows of each of those sources, old enough. */
  async function leave(sources: string[], count = 1): Promise<void> {
    const createdAt = new Date(world.clock.now() - AGE_MS - 1);
    const left = sources.flatMap((actor) =>
      Array.from({ length: count }, (_, n) => {
        const place = { actor, version: n + 1, n: 0 };
        return outboxDoc({ ...place, target: { room: actor }, type: "chat.modes", data: {} }, createdAt);
      }),
    );
    await rows().insertMany(left);
  }

  const sourcesNamed = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => `moderation:${name}${i}`);
  const outboxWith = (publishRoom: (event: RoomEvent) => Promise<unknown>, backOff = new BackOff()) => {
    const { mongo, clock, log } = world.deps;
    return createOutbox({ mongo, clock, log, publishRoom, publishUsers: unused, backOff });
  };

  it("publishes other sources while one takes long", async () => {
    const seen: string[] = [];
    const began = signal();
    const room = signal();
    const outbox = outboxWith(async ({ actor }) => {
      if (actor.ref === "moderation:slow") {
        began.send();
        await room.sent;
      }
      seen.push(actor.ref);
    });
    await leave(["moderation:slow"]);
    const relay = startOutboxRelay({ outbox, log: world.deps.log, intervalMs: 20, ageMs: AGE_MS });
    try {
      await began.sent;

      await leave(["moderation:other"]);
      await eventually(() => seen.length > 0, { what: "the other source is published", withinMs: 2_000 });
      expect(seen).deep.equal(["moderation:other"]);
    } finally {
      room.send();
      await relay.stop();
    }
    expect(seen).deep.equal(["moderation:other", "moderation:slow"]);
  });

  it("goes on to the next source after a page, and comes back for the rest", async () => {
    const long = sourcesNamed("long", AT_ONCE);
    const published = new Map<string, number[]>();
    const shortIsPublished = signal();
    const outbox = outboxWith(async ({ actor: { ref, version } }) => {
      if (ref === "moderation:short") shortIsPublished.send();
      else if (version > PAGE) await shortIsPublished.sent;
      published.set(ref, [...(published.get(ref) ?? []), version]);
    });
    await leave([...long, "moderation:short"], PAGE + 1);
    const relay = createOutboxSweep({ outbox, ageMs: AGE_MS });

    const round = relay.tick();
    try {
      await eventually(() => published.has("moderation:short"), {
        withinMs: 5_000,
        what: "the last one's turn",
      });
    } finally {
      shortIsPublished.send();
      await round;
    }

    const inOrder = Array.from({ length: PAGE + 1 }, (_, n) => n + 1);
    for (const source of long) expect(published.get(source)).deep.equal(inOrder);
    expect(await rows().countDocuments()).equal(0);
  });

  it("leaves a long source after a turn when it stops, and another relay goes on with it in order", async () => {
    const seen: number[] = [];
    const isFull = signal();
    const room = signal();
    const outbox = outboxWith(async ({ actor }) => {
      if (actor.version === PAGE) {
        isFull.send();
        await room.sent;
      }
      seen.push(actor.version);
    });
    await leave(["moderation:left"], THREE_TURNS);
    const relay = createOutboxSweep({ outbox, ageMs: AGE_MS });
    await relay.sweep();
    await isFull.sent;

    const stopped = relay.stop();
    room.send();
    await stopped;
    expect(seen).length(PAGE);
    const next = outboxWith(async ({ actor }) => void seen.push(actor.version));
    await createOutboxSweep({ outbox: next, ageMs: AGE_MS }).tick();

    expect(seen).deep.equal(Array.from({ length: THREE_TURNS }, (_, n) => n + 1));
  });

  it("finds what is behind rows that were set aside, of the same source and of others", async () => {
    const seen: string[] = [];
    const outbox = outboxWith(async ({ actor: { ref, version } }) => void seen.push(`${ref}:${version}`));
    await leave(["moderation:a", "moderation:b"], THREE_TURNS);
    await rows().updateMany(
      { version: { $lt: THREE_TURNS } },
      { $set: { parkedAt: new Date(world.clock.now()) } },
    );
    await leave(["moderation:c"]);

    await createOutboxSweep({ outbox, ageMs: AGE_MS }).tick();

    expect(seen.sort()).deep.equal([
      `moderation:a:${THREE_TURNS}`,
      `moderation:b:${THREE_TURNS}`,
      "moderation:c:1",
    ]);
  });

  it("publishes all rows of a source when a caller that wants all of them joins its turn", async () => {
    const seen: number[] = [];
    const began = signal();
    const room = signal();
    const outbox = outboxWith(async ({ actor }) => {
      began.send();
      await room.sent;
      seen.push(actor.version);
    });
    await leave(["moderation:joined"], 2 * PAGE);

    const turn = outbox.publishTurn("moderation:joined");
    await began.sent;
    const all = outbox.publish("moderation:joined");
    room.send();

    expect(await all).equal("all");
    expect(await turn).equal(false);
    expect(seen).length(2 * PAGE);
  });

  describe("when clocks differ", () => {
    it("publishes at once what a process whose clock is ahead wrote", async () => {
      const seen: string[] = [];
      const outbox = outboxWith(async ({ actor }) => void seen.push(actor.ref));
      world.move(600_000);
      await leave(["moderation:ahead"]);
      world.move(-600_000);

      await createOutboxSweep({ outbox, ageMs: AGE_MS }).tick();

      expect(seen).deep.equal(["moderation:ahead"]);
    });

    it("ends a pause when its own clock steps back", async () => {
      let tries = 0;
      const outbox = outboxWith(async () => {
        tries++;
        throw unavailable();
      });
      world.move(600_000);
      const relay = createOutboxSweep({ outbox, ageMs: AGE_MS });
      await leave(["moderation:unavailable"]);
      await relay.tick();

      world.move(-600_000);
      await relay.tick();

      expect(tries).equal(2);
    });
  });

  describe("when very many sources can't be published", () => {
    /** More than wait in the relay's queues. */
    const MANY = 1_500;
    const isUnavailable = ({ actor }: RoomEvent) => actor.ref.startsWith("moderation:unavailable");

    it("publishes another one that comes later with the next round, however often they have failed", async () => {
      const seen: string[] = [];
      const outbox = outboxWith(async (event) => {
        if (isUnavailable(event)) throw unavailable();
        seen.push(event.actor.ref);
      });
      await leave(sourcesNamed("unavailable", 1.5 * MANY));
      const relay = createOutboxSweep({ outbox, ageMs: AGE_MS });
      for (let round = 0; round < 3; round++) await relay.tick();

      // All of their pauses are over, too.
      world.move(2_001);
      await leave(["moderation:well"]);
      await relay.tick();

      expect(seen).deep.equal(["moderation:well"]);
    });

    it("comes to another one also past those that it can remember", async () => {
      const seen: string[] = [];
      const outbox = outboxWith(async (event) => {
        if (isUnavailable(event)) throw unavailable();
        seen.push(event.actor.ref);
      }, new BackOff(10));
      await leave([...sourcesNamed("unavailable", MANY), "moderation:well"]);
      const relay = createOutboxSweep({ outbox, ageMs: AGE_MS });

      for (let round = 0; round < 3; round++) await relay.tick();

      expect(seen).deep.equal(["moderation:well"]);
    });

    it("tries each of them again, and none before the others", async () => {
      let tries = new Map<string, number>();
      const outbox = outboxWith(async ({ actor }) => {
        tries.set(actor.ref, (tries.get(actor.ref) ?? 0) + 1);
        throw unavailable();
      });
      await leave(sourcesNamed("unavailable", MANY));
      const relay = createOutboxSweep({ outbox, ageMs: AGE_MS });
      while ((await relay.tick()) > 0);
      expect(tries.size).equal(MANY);

      tries = new Map();
      world.move(2_001);
      while ((await relay.tick()) > 0);

      expect(tries.size).equal(MANY);
      expect(Math.max(...tries.values())).equal(1);
    });
  });
});

const unused = () => Promise.reject(new Error("no user receives anything here"));

function signal() {
  let send = (): void => undefined;
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { sent, send: () => send() };
}
