// @waits: for a store that is away.

import { expect } from "chai";
import { MongoClient } from "mongodb";
import { createHost } from "../../../../actors/host/host.ts";
import { createIngest } from "../../../../actors/live/ingest/ingest.ts";
import { createPublisherLeases } from "../../../../actors/live/ingest/publisher-leases.ts";
import { liveStreamDefinition } from "../../../../actors/live/live-stream/definition.ts";
import { FIRST_PICTURE_MS, LIVE_STREAM_VERSION } from "../../../../actors/live/live-stream/machine.ts";
import { PUBLISHER_LEASE_MS } from "../../../../actors/live/live-stream/publisher-lease.ts";
import { newId } from "../../../../base/ids.ts";
import { type StreamDoc, streamsIn } from "../../../../store/mongo/channels/streams.ts";
import type { SnapshotDoc } from "../../../../store/mongo/host/snapshots.ts";
import { publishersCollection, publishersIn } from "../../../../store/mongo/live/publishers.ts";
import { openWorld, type World } from "../../host/world.ts";

describe("publisher leases: races and failures", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());
  beforeEach(() => publishersCollection.in(world.mongo.db).deleteMany({}));

  const leases = (broadcasts = world.broadcasts) => createPublisherLeases({ ...world.deps, broadcasts });
  const stateOf = async ({ _id }: StreamDoc) =>
    (await world.broadcasts.history(_id, { skip: 0, limit: 20 })).items.at(-1)?.to;

  /** Live since five seconds, with an update of now. */
  async function updated(): Promise<StreamDoc> {
    const stream = await world.stream();
    await world.broadcasts.publish({ stream, clientId: "1" });
    await world.pass(FIRST_PICTURE_MS);
    expect(await leases().renew(stream._id, "1")).equal(true);
    return stream;
  }

  /** The broadcast's host, which does `then` once between reading and commit. */
  function hostThat(then: () => Promise<unknown>) {
    const definition = liveStreamDefinition(world.mongo.db);
    const { prepare } = definition;
    const looks = { count: 0 };
    definition.prepare = async (batch) => {
      const reads = await prepare(batch);
      if (looks.count++ === 0) await then();
      return reads;
    };
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition] });
    return { host, definition, looks };
  }

  it("keeps a publisher whose update arrives between the decision and its commit", async () => {
    const stream = await updated();
    world.move(PUBLISHER_LEASE_MS);
    const { host, definition, looks } = hostThat(() => leases().renew(stream._id, "1"));

    const reply = await host.ask(
      definition,
      stream._id,
      { type: "publisherLost", clientId: "1" },
      { by: null },
    );

    expect(reply).deep.equal({ ok: false, refusal: { code: "publisher_connected" } });
    expect(looks.count).equal(2);
    expect(await stateOf(stream)).equal("live");
  });

  it("refuses another publisher when an update arrives between the decision and its commit", async () => {
    const stream = await updated();
    world.move(PUBLISHER_LEASE_MS + 1);
    const { host, definition, looks } = hostThat(() => leases().renew(stream._id, "1"));
    const published = {
      type: "published",
      clientId: "2",
      sessionId: newId(),
      keyHash: stream.streamKeyHash,
      waitsForMedia: false,
    } as const;

    const reply = await host.ask(definition, stream._id, published, { by: null });

    expect(reply).deep.equal({ ok: false, refusal: { code: "publisher_connected" } });
    expect(looks.count).equal(2);
  });

  it("leaves a publisher alone that took over while the old one's lease was found expired", async () => {
    const stream = await updated();
    world.move(PUBLISHER_LEASE_MS + 1);
    const expired = await publishersIn(world.mongo.db).expired(new Date(world.clock.now()), 10);
    await world.broadcasts.publish({ stream, clientId: "2" });

    for (const { _id, clientId } of expired)
      expect(await world.broadcasts.publisherLost(_id, clientId)).equal("unknown");

    expect(await stateOf(stream)).equal("live");
    expect(await publishersIn(world.mongo.db).find(stream._id)).include({ clientId: "2", leaseEndsAt: null });
  });

  it("records one loss when two workers sweep at once", async () => {
    const stream = await updated();
    world.move(PUBLISHER_LEASE_MS);

    await Promise.all([leases().sweep(), leases(world.rival().broadcasts).sweep()]);

    const { items } = await world.broadcasts.history(stream._id, { skip: 0, limit: 20 });
    expect(items.filter(({ event }) => event === "publisherLost")).length(1);
    expect(await publishersIn(world.mongo.db).find(stream._id)).equal(null);
  });

  it("removes a row that no broadcast has a publisher for", async () => {
    const long = new Date(world.clock.now() - PUBLISHER_LEASE_MS);
    const row = { _id: newId(), clientId: "1", seenAt: long, leaseEndsAt: long };
    await publishersCollection.in(world.mongo.db).insertOne(row);

    await leases().sweep();

    expect(await publishersIn(world.mongo.db).find(row._id)).equal(null);
  });

  it("keeps a connected publisher's row when the clock steps back during the sweep", async () => {
    const stream = await updated();
    world.move(PUBLISHER_LEASE_MS);
    const { broadcasts } = world;
    const steppedBack = async (streamId: string, clientId: string) => {
      world.move(-1_000);
      return broadcasts.publisherLost(streamId, clientId);
    };

    await leases({ ...broadcasts, publisherLost: steppedBack }).sweep();

    expect(await stateOf(stream)).equal("live");
    expect(await publishersIn(world.mongo.db).find(stream._id)).include({ clientId: "1" });
    world.move(1_000);
    await leases().sweep();
    expect(await stateOf(stream)).equal("interrupted");
  });

  it("ends other leases when one can't be ended, and tries that one again later", async () => {
    const [parked, other] = [await updated(), await updated()];
    const snapshots = world.mongo.db.collection<SnapshotDoc>("snapshots");
    const versionOf = (machineVersion: number) =>
      snapshots.updateOne(
        { _id: `live-stream:${parked._id}` },
        { $set: { machineVersion }, $inc: { version: 1 } },
      );
    await versionOf(99);
    world.move(PUBLISHER_LEASE_MS);

    await leases().sweep();

    expect([await stateOf(parked), await stateOf(other)]).deep.equal(["live", "interrupted"]);
    await versionOf(LIVE_STREAM_VERSION);
    await leases().sweep();
    expect(await stateOf(parked)).equal("live");
    world.move(PUBLISHER_LEASE_MS);
    await leases().sweep();
    expect(await stateOf(parked)).equal("interrupted");
  });

  it("accepts updates within their deadline while the store is away", async () => {
    const client = new MongoClient("mongodb://127.0.0.1:1", { serverSelectionTimeoutMS: 8_000 });
    const ingest = createIngest({
      ...world.deps,
      streams: streamsIn(client.db()),
      broadcasts: world.broadcasts,
      publisherLeases: leases(),
      ingestUrl: "rtmp://127.0.0.1/ingest",
      publicUrl: "http://127.0.0.1",
    });

    const from = performance.now();
    await ingest.publisherUpdate({ streamKey: "live_key", clientId: "1", addr: "127.0.0.1" });
    // It waits ten seconds at most.
    expect(performance.now() - from).below(7_500);

    const logged = world.lines.filter(({ message }) => message.startsWith("publisher update not recorded"));
    expect(logged).length(1);
    await client.close();
  });
});
