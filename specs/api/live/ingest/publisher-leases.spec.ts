import { expect } from "chai";
import { BROADCAST_GRACE_MS, FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import {
  PUBLISHER_LEASE_MS,
  UPDATE_INTERVAL_MS,
} from "../../../../actors/live/live-stream/publisher-lease.ts";
import { publishersIn } from "../../../../store/mongo/live/publishers.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("publisher leases", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  const isLive = async ({ owner, at }: Channel) => (await owner.api.ok("getStream", { params: at })).is_live;
  const step = async ({ owner, at }: Channel) =>
    (await owner.api.ok("getStreamHistory", { params: at })).items.at(-1)?.detail ?? null;
  const publish = ({ stream }: Channel, clientId = "1") =>
    given.hook("publish", { key: stream.stream_key, clientId });
  const update = ({ stream }: Channel, clientId = "1") =>
    given.hook("update_publish", { key: stream.stream_key, clientId });
  const sweep = () => world.core.publisherLeases.sweep();

  /** The channel is live, and its server has sent an update. */
  async function updated(): Promise<Channel> {
    const channel = await given.liveChannel();
    expect((await update(channel)).status).equal(200);
    return channel;
  }

  async function lost(): Promise<Channel> {
    const channel = await updated();
    world.clock.move(PUBLISHER_LEASE_MS);
    await eventually(async () => (await step(channel)) === "interrupted");
    return channel;
  }

  it("ends a broadcast whose server sends neither updates nor a publish-done any more", async () => {
    const channel = await lost();
    expect(await isLive(channel)).equal(true);

    world.clock.move(BROADCAST_GRACE_MS);

    await eventually(async () => !(await isLive(channel)));
    expect((await publish(channel, "2")).status).equal(200);
  });

  it("frees the key before the first picture when updates stop", async () => {
    const channel = await given.channel();
    await publish(channel);
    const { stream_id: id } = channel.at;
    await update(channel);
    // With the clock, it would go live first.
    const seenAt = new Date(world.clock.now() - PUBLISHER_LEASE_MS);
    await world.core.mongo.db
      .collection<{ _id: string }>("publishers")
      .updateOne({ _id: id }, { $set: { seenAt, leaseEndsAt: seenAt } });

    await eventually(async () => (await step(channel)) === null);

    expect((await publish(channel, "2")).status).equal(200);
  });

  it("keeps a publisher as long as updates come", async () => {
    const channel = await updated();

    for (let sent = 0; sent < 6; sent++) {
      world.clock.move(UPDATE_INTERVAL_MS);
      expect((await update(channel)).status).equal(200);
      await sweep();
    }

    expect(await step(channel)).equal(null);
    expect(await isLive(channel)).equal(true);
  });

  it("keeps a publisher of a server that never sent an update", async () => {
    const channel = await given.liveChannel();

    world.clock.move(10 * PUBLISHER_LEASE_MS);
    await sweep();

    expect(await step(channel)).equal(null);
  });

  it("continues the broadcast of a lost publisher with another one in the grace", async () => {
    const channel = await lost();
    const { sessionId } = await world.core.channels.require(channel.at.stream_id);

    expect((await publish(channel, "2")).status).equal(200);

    expect(await world.core.channels.require(channel.at.stream_id)).include({ isLive: true, sessionId });
    expect((await update(channel, "1")).status).equal(404);
    expect((await update(channel, "2")).status).equal(200);
  });

  it("takes a lost publisher back when its updates come again in the grace", async () => {
    const channel = await lost();

    expect((await update(channel)).status).equal(200);

    expect(await step(channel)).equal(null);
    expect((await publish(channel, "2")).code).equal("publisher_connected");
    world.clock.move(PUBLISHER_LEASE_MS);
    await eventually(async () => (await step(channel)) === "interrupted");
  });

  it("takes no publisher back that its server reported as gone", async () => {
    const channel = await lost();
    await given.hook("publish_done", { key: channel.stream.stream_key });

    expect((await update(channel)).status).equal(404);

    expect(await step(channel)).equal("interrupted");
  });

  it("answers 404 to updates of a publisher whose broadcast has ended", async () => {
    const [ended, rotated, unknown] = [await updated(), await updated(), await updated()];
    await ended.owner.api.ok("endBroadcast", { params: ended.at });
    await rotated.owner.api.ok("rotateStreamKey");

    const codes = [await update(ended), await update(rotated), await update(unknown, "2")].map(
      ({ status, code }) => [status, code],
    );

    expect(codes).deep.equal(Array(3).fill([404, "not_found"]));
  });

  it("gives a lease to a publisher that an older release accepted", async () => {
    const channel = await given.liveChannel();
    const rows = world.core.mongo.db.collection<{ _id: string }>("publishers");
    await rows.deleteOne({ _id: channel.at.stream_id });

    expect((await update(channel)).status).equal(200);

    expect(await publishersIn(world.core.mongo.db).find(channel.at.stream_id)).include({ clientId: "1" });
  });

  it("counts updates against no rate limit, since the server would drop its publishers for a 429", async () => {
    const answer = await update(await given.liveChannel());

    expect(answer.status).equal(200);
    expect(answer.headers.get("ratelimit-limit")).equal(null);
  });

  it("accepts updates of players", async () => {
    const { stream } = await given.channel();

    expect((await given.hook("update_play", { key: stream.id })).status).equal(200);
  });

  it("refuses a second publisher within 30 s of the last update", async () => {
    const channel = await given.liveChannel();
    world.clock.move(2 * PUBLISHER_LEASE_MS);
    await update(channel);
    world.clock.move(PUBLISHER_LEASE_MS - 1_000);

    const second = await publish(channel, "2");

    expect([second.status, second.code]).deep.equal([409, "publisher_connected"]);
  });

  it("lets a second publisher take over 30 s after a first one without updates connected", async () => {
    const channel = await given.liveChannel();
    const { sessionId } = await world.core.channels.require(channel.at.stream_id);
    world.clock.move(PUBLISHER_LEASE_MS - FIRST_PICTURE_MS - 5_000);
    expect((await publish(channel, "2")).code).equal("publisher_connected");
    world.clock.move(5_001);

    expect((await publish(channel, "2")).status).equal(200);

    expect(await world.core.channels.require(channel.at.stream_id)).include({ isLive: true, sessionId });
    await given.hook("publish_done", { key: channel.stream.stream_key, clientId: "1" });
    expect(await step(channel)).equal(null);
    await given.hook("publish_done", { key: channel.stream.stream_key, clientId: "2" });
    expect(await step(channel)).equal("interrupted");
  });
});
