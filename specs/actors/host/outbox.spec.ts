import { expect } from "chai";
import type { RoomEvent } from "../../../actors/host/outbox.ts";
import { unavailable } from "../../../contract/errors.ts";
import { createOutboxSweep } from "../../../jobs/host/outbox-relay/relay.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { openWorld, type World } from "./world.ts";

describe("the outbox", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const outcomes = [{ title: "yes" }, { title: "no" }];
  const rowsOf = (actor: string) => world.mongo.db.collection("outbox").countDocuments({ actor });

  /** An outbox whose rooms are `publishRoom`. */
  const outboxWith = (publishRoom: (event: RoomEvent) => Promise<unknown>) => {
    const { outbox } = world.rival({ publishRoom });
    return { outbox, relay: createOutboxSweep({ outbox }) };
  };

  async function write(actor: string, versions: number[]) {
    const target = { room: "s" };
    const rows = versions.map((version) => ({
      actor,
      version,
      n: 0,
      target,
      type: "chat.cleared" as const,
      data: {},
    }));
    await inTransaction(world.mongo.client, (session) => world.outbox.write(rows, session));
  }

  it("publishes to the room what happened, in the actor's order and after the commit", async () => {
    const stream = await world.stream();
    const input = { stream, title: "?", outcomes, durationSeconds: 60, by: stream.userId };
    const { _id: id, outcomes: made } = await world.predictions.open(input);
    await world.predictions.lock(id, stream.userId);
    await world.predictions.resolve(id, made[0]?.id ?? "", stream.userId);
    await world.settled();

    const events = world.room.filter((event) => event.streamId === stream._id);
    expect(events.map(({ type, data }) => [type, data.status])).deep.equal([
      ["prediction.opened", "active"],
      ["prediction.locked", "locked"],
      ["prediction.resolved", "resolved"],
    ]);
    const versions = events.map(({ actor }) => actor.version);
    expect(versions).deep.equal([...versions].sort((a, b) => a - b));
    expect(await rowsOf(`prediction:${id}`)).equal(0);
  });

  it("keeps everything, in order, while Redis is unavailable; the relay publishes it afterwards", async () => {
    let isUnavailable = true;
    const seen: number[] = [];
    const { outbox, relay } = outboxWith(async ({ actor }) => {
      if (isUnavailable) throw unavailable();
      seen.push(actor.version);
    });
    await write("moderation:unpublished", [3, 1, 2]);

    expect(await outbox.publish("moderation:unpublished")).equal("unavailable");
    expect(await rowsOf("moderation:unpublished")).equal(3);
    isUnavailable = false;
    world.move(1_001);
    await relay.tick();

    expect(seen).deep.equal([1, 2, 3]);
    expect(await rowsOf("moderation:unpublished")).equal(0);
  });

  it("leaves young rows to the process that wrote them", async () => {
    await write("moderation:young", [1]);

    world.move(999);
    await world.relay.tick();
    expect(await rowsOf("moderation:young")).equal(1);
    world.move(2);
    await world.relay.tick();

    expect(await rowsOf("moderation:young")).equal(0);
  });

  it("never overtakes a row that fails, and sets it aside after ten times", async () => {
    const seen: number[] = [];
    const { outbox } = outboxWith(async ({ actor }) => {
      if (actor.version === 1) throw new Error("the room can't read it");
      seen.push(actor.version);
    });
    await write("moderation:poison", [1, 2]);

    for (let i = 0; i < 9; i++) expect(await outbox.publish("moderation:poison")).equal("some");
    expect(seen).deep.equal([]);
    await outbox.publish("moderation:poison");

    expect(seen).deep.equal([2]);
    expect(await rowsOf("moderation:poison")).equal(1);
    expect(world.lines.some(({ level, message }) => level === "error" && message.includes("parked"))).equal(
      true,
    );
  });

  it("goes on with other sources while the shard of some is unavailable and one is poisoned, which are tried ever more rarely", async () => {
    const tried: string[] = [];
    const seen: string[] = [];
    const { relay } = outboxWith(async ({ actor }) => {
      tried.push(actor.ref);
      if (actor.ref.includes("dead")) throw unavailable();
      if (actor.ref.includes("bad")) throw new Error("the room can't read it");
      seen.push(actor.ref);
    });
    const dead = Array.from({ length: 20 }, (_, i) => `moderation:dead${i}`);
    for (const source of [...dead, "moderation:bad", "moderation:fine"]) await write(source, [1, 2]);
    world.move(1_001);

    await relay.tick();
    expect(seen).deep.equal(["moderation:fine", "moderation:fine"]);
    expect(tried.filter((ref) => ref === "moderation:bad")).length(1);

    const triesWithin = async (ms: number) => {
      const before = tried.filter((ref) => ref === "moderation:bad").length;
      for (let passed = 0; passed < ms; passed += 250) {
        world.move(250);
        await relay.tick();
      }
      return tried.filter((ref) => ref === "moderation:bad").length - before;
    };
    expect(await triesWithin(500)).equal(1);
    expect(await triesWithin(750)).equal(0);
    expect(await triesWithin(250)).equal(1);
    await world.mongo.db.collection("outbox").deleteMany({ actor: { $in: [...dead, "moderation:bad"] } });
  });

  it("finds a source behind ten thousand rows of one that waits", async () => {
    const { relay } = outboxWith(async ({ actor }) => {
      if (actor.ref.includes("flood")) throw unavailable();
    });
    const flood = Array.from({ length: 10_100 }, (_, i) => i + 1);
    for (let from = 0; from < flood.length; from += 2_000)
      await write("moderation:flood", flood.slice(from, from + 2_000));
    await write("moderation:behind", [1]);
    world.move(1_001);

    await relay.tick();
    await relay.tick();

    expect(await rowsOf("moderation:behind")).equal(0);
    await world.mongo.db.collection("outbox").deleteMany({ actor: "moderation:flood" });
  });

  it("publishes each row once when many request it at the same time", async () => {
    const seen: number[] = [];
    const { outbox } = outboxWith(async ({ actor }) => void seen.push(actor.version));
    await write("moderation:busy", [1, 2, 3, 4, 5]);

    await Promise.all(Array.from({ length: 20 }, () => outbox.publish("moderation:busy")));

    expect(seen).deep.equal([1, 2, 3, 4, 5]);
  });

  it("writes nothing when its cause isn't committed", async () => {
    const row = {
      actor: "moderation:never",
      version: 1,
      n: 0,
      target: { room: "s" },
      type: "chat.cleared" as const,
      data: {},
    };
    const failed = inTransaction(world.mongo.client, async (session) => {
      await world.outbox.write([row], session);
      throw new Error("changed my mind");
    });

    expect(await failed.catch((err: unknown) => String(err))).contain("changed my mind");
    expect(await rowsOf("moderation:never")).equal(0);
  });

  it("hands effects on with their event", async () => {
    const seen: RoomEvent[] = [];
    const { outbox } = outboxWith(async (event) => void seen.push(event));
    const row = {
      actor: "moderation:effects",
      version: 7,
      n: 0,
      target: { room: "s" },
      type: "chat.cleared" as const,
      data: {},
      effects: [{ kind: "clear" as const }],
    };
    await inTransaction(world.mongo.client, (session) => outbox.write([row], session));

    await outbox.publish("moderation:effects");

    expect(seen).deep.equal([
      {
        streamId: "s",
        type: "chat.cleared",
        data: {},
        effects: [{ kind: "clear" }],
        actor: { ref: "moderation:effects", version: 7, n: 0 },
      },
    ]);
  });
});
