import { expect } from "chai";
import { MOST_MARKERS } from "../../../actors/live/markers.ts";
import { newId } from "../../../base/ids.ts";
import { broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { markersCollection } from "../../../store/mongo/live/markers.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { givenBilling } from "../../support/billing.ts";
import { movableClock } from "../../support/clock.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("markers of a broadcast", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  let channel: Channel;
  beforeEach(async () => {
    channel = await given.liveChannel();
  });

  const mark = (who: Person) => who.api.call("createMarker", { params: channel.at, body: {} });
  const descriptions = async () =>
    (await channel.owner.api.ok("listMarkers", { params: channel.at })).items.map((one) => one.description);

  it("have their time in the broadcast and in its video", async () => {
    const began = world.clock.now();
    world.clock.move(30_000);
    const made = await channel.owner.api.ok("createMarker", {
      params: channel.at,
      body: { description: "The boss falls" },
    });
    expect(made.position_seconds).within(30, 32);
    expect(made.created_by.username).equal(channel.owner.username);
    const moderator = await given.moderatorOf(channel);
    await mark(moderator);
    expect(await descriptions()).deep.equal(["The boss falls", null]);

    world.clock.move(60_000);
    const media_recording_id = newId();
    const started_at = new Date(began + 10_000).toISOString();
    const data = { ...channel.at, media_recording_id, duration_seconds: 60, started_at };
    const hook = { type: "recording.ready", data };
    expect((await givenBilling(world).send(hook, {}, "mediaHook")).status).equal(200);
    const { username } = channel.owner;
    const [video] = (await channel.owner.api.ok("listVideos", { params: { username } })).items;
    const params = { video_id: video?.id ?? "" };
    const { items } = await moderator.api.ok("listVideoMarkers", { params });
    expect(items).length(2);
    expect(items[0]?.position_seconds).within(20, 22);
    const viewer = await given.user();
    expect((await viewer.api.call("listVideoMarkers", { params })).code).equal("forbidden");
  });

  it("are told to moderators as they are made and deleted, and to nobody else", async () => {
    const [moderator, viewer] = [await given.moderatorOf(channel), await given.user()];
    const follow = async (person: Person) => {
      const { ticket } = await person.api.ok("createWsTicket");
      const socket = new Socket(`${world.socketUrl}/v1/ws/chat/${channel.at.stream_id}?ticket=${ticket}`);
      await socket.next("subscribed");
      return socket;
    };
    const [seen, unseen] = [await follow(moderator), await follow(viewer)];
    try {
      const { id } = await channel.owner.api.ok("createMarker", { params: channel.at, body: {} });
      expect((await seen.next("mod.marker")).data).include({ id, description: null });
      await moderator.api.ok("deleteMarker", { params: { ...channel.at, marker_id: id } });
      expect((await seen.next("mod.marker_deleted")).data).deep.equal({ id });
      expect(await descriptions()).deep.equal([]);
      await channel.owner.api.ok("sendChatMessage", { params: channel.at, body: { content: "done" } });
      await unseen.next("chat.message");
      expect(unseen.messages.map(({ type }) => type)).not.include("mod.marker");
    } finally {
      for (const socket of [seen, unseen]) socket.terminate();
    }
  });

  const keyedMark = () => {
    const headers = { "idempotency-key": newId() };
    const request = { params: channel.at, body: { description: "once" }, headers };
    return () => channel.owner.api.ok("createMarker", request);
  };

  it("are made once for one Idempotency-Key", async () => {
    const ask = keyedMark();
    const [one, other] = await Promise.all([ask(), ask()]);
    expect(one.id).equal(other.id);
    expect(await descriptions()).deep.equal(["once"]);
  });

  it("are answered again as they were made after the broadcast has ended, and during the next one", async () => {
    world.clock.move(30_000);
    const ask = keyedMark();
    const made = await ask();
    expect(made.position_seconds).within(30, 32);
    await channel.owner.api.ok("endBroadcast", { params: channel.at });
    expect(await ask()).deep.equal(made);
    world.clock.move(60_000);
    await given.goLive(channel, "2");
    expect(await ask()).deep.equal(made);
    expect(await descriptions()).deep.equal([]);
  });

  it("are listed if they were made while the end of the broadcast was decided", async () => {
    await channel.owner.api.ok("endBroadcast", { params: channel.at });
    const { db } = world.core.mongo;
    const last = await broadcastsIn(db).lastOf(channel.at.stream_id);
    const { id } = channel.owner;
    await markersCollection.in(db).insertOne({
      _id: newId(),
      streamId: channel.at.stream_id,
      ownerId: id,
      by: id,
      description: "The last words",
      createdAt: new Date(Number(last?.endedAt) + 50),
    });
    world.clock.move(1_000);
    expect(await descriptions()).deep.equal(["The last words"]);
  });

  it("are refused without a broadcast, beyond a hundred, and to viewers", async () => {
    const viewer = await given.user();
    expect((await mark(viewer)).code).equal("forbidden");
    const { db } = world.core.mongo;
    const createdAt = new Date(world.clock.now());
    const { id } = channel.owner;
    const common = { streamId: channel.at.stream_id, ownerId: id, by: id, description: null, createdAt };
    await markersCollection
      .in(db)
      .insertMany(Array.from({ length: MOST_MARKERS }, () => ({ _id: newId(), ...common })));
    expect((await mark(channel.owner)).code).equal("limit_reached");
    await channel.owner.api.ok("endBroadcast", { params: channel.at });
    expect((await mark(channel.owner)).code).equal("invalid_state");
    const gone = { params: { ...channel.at, marker_id: newId() } };
    expect((await channel.owner.api.call("deleteMarker", gone)).code).equal("not_found");
  });

  it("are refused where the broadcast ends while one is made", async () => {
    // As the end's commit leaves the stream.
    const streams = world.core.mongo.db.collection<{ _id: string; liveSince: Date | null }>("streams");
    await streams.updateOne({ _id: channel.at.stream_id }, { $set: { sessionId: null, liveSince: null } });
    expect((await mark(channel.owner)).code).equal("invalid_state");
    expect(await descriptions()).deep.equal([]);
  });

  it("are empty before the first broadcast", async () => {
    const other = await given.channel();
    expect((await other.owner.api.ok("listMarkers", { params: other.at })).items).deep.equal([]);
  });
});
