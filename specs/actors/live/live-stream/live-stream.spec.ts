import { expect } from "chai";
import { createHost } from "../../../../actors/host/host.ts";
import { liveStreamDefinition } from "../../../../actors/live/live-stream/definition.ts";
import { BROADCAST_GRACE_MS, FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { newId } from "../../../../base/ids.ts";
import { type StreamDoc, streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { codeOf } from "../../../support/code-of.ts";
import { openWorld, type World } from "../../host/world.ts";

describe("broadcasts", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const publish = (stream: StreamDoc, clientId: string) => world.broadcasts.publish({ stream, clientId });
  const read = async (stream: StreamDoc) => {
    const doc = await streamsIn(world.mongo.db).find(stream._id);
    if (!doc) throw new Error("the stream has gone");
    return doc;
  };
  const roomEvents = async (stream: StreamDoc) => {
    await world.settled();
    return world.room
      .filter((event) => event.streamId === stream._id)
      .map(({ type, data }) => ({ type, data }));
  };

  async function live() {
    const stream = await world.stream();
    await publish(stream, "1");
    await world.pass(FIRST_PICTURE_MS);
    return stream;
  }

  const rotateKey = ({ _id: streamId, userId: ownerId }: StreamDoc) =>
    world.broadcasts.rotateKey({ streamId, ownerId, keyHash: newId(), keySealed: "sealed" });

  it("go live five seconds after a publisher came, and announce it to the room", async () => {
    const stream = await world.stream();
    await publish(stream, "1");

    await world.pass(FIRST_PICTURE_MS - 1);
    expect((await read(stream)).isLive).equal(false);
    await world.pass(1);

    const doc = await read(stream);
    const liveSince = new Date(world.clock.now());
    expect(doc).deep.include({ isLive: true, liveSince });
    expect(await world.broadcasts.current(stream._id)).deep.include({
      _id: doc.sessionId,
      startedAt: liveSince,
    });
    expect(await roomEvents(stream)).deep.equal([
      { type: "stream.live", data: { stream_id: stream._id, live_since: liveSince.toISOString() } },
    ]);
  });

  for (const [what, collection, change] of [
    ["its key is rotated", "streams", { streamKeyHash: "another" }],
    ["its owner is banned", "users", { status: "banned" }],
  ] as const) {
    it(`never begin when ${what} between the look at it and the commit`, async () => {
      const stream = await world.stream();
      const definition = liveStreamDefinition(world.mongo.db);
      const { prepare } = definition;
      let looks = 0;
      definition.prepare = async (batch) => {
        const reads = await prepare(batch);
        const id = collection === "streams" ? stream._id : stream.userId;
        if (looks++ === 0) {
          await world.mongo.db
            .collection<{ _id: string }>(collection)
            .updateOne({ _id: id }, { $set: change });
        }
        return reads;
      };
      const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition] });

      const reply = await host.ask(
        definition,
        stream._id,
        {
          type: "published",
          clientId: "1",
          sessionId: newId(),
          keyHash: stream.streamKeyHash,
          waitsForMedia: false,
        },
        { by: null, input: { ownerId: stream.userId } },
      );

      expect(reply).deep.equal({ ok: false, refusal: { code: "stream_key_refused" } });
      expect(looks).equal(2);
    });
  }

  it("never begin when the publisher leaves before the first picture", async () => {
    const stream = await world.stream();
    await publish(stream, "1");
    await world.broadcasts.publishDone({ stream, clientId: "1" });

    await world.pass(60_000);

    expect((await read(stream)).isLive).equal(false);
    expect(await roomEvents(stream)).deep.equal([]);
  });

  it("last through a gap of less than 90 s as the same session", async () => {
    const stream = await live();
    const { sessionId, liveSince } = await read(stream);
    await world.broadcasts.publishDone({ stream, clientId: "1" });
    await world.pass(BROADCAST_GRACE_MS - 1);

    await publish(stream, "2");
    await world.pass(3_600_000);

    expect(await read(stream)).deep.include({ isLive: true, sessionId, liveSince });
  });

  it("end 90 s after their publisher left, with the figures of their viewers", async () => {
    const stream = await live();
    const sessionId = (await read(stream)).sessionId ?? "";
    for (const viewers of [3, 10, 5]) await world.broadcasts.sample([{ sessionId, viewers, looks: 1 }]);
    await world.broadcasts.publishDone({ stream, clientId: "1" });

    await world.pass(BROADCAST_GRACE_MS);

    expect(await read(stream)).deep.include({ isLive: false, liveSince: null, sessionId: null });
    expect((await roomEvents(stream)).at(-1)).deep.equal({
      type: "stream.offline",
      data: { stream_id: stream._id, peak_viewers: 10, average_viewers: 6 },
    });
    const { items } = await world.broadcasts.page(stream._id, { skip: 0, limit: 10 });
    expect(items[0]).deep.include({ endReason: "finished", endedAt: new Date(world.clock.now()) });
  });

  it("take one publisher at a time: a second is refused while one is connected, and its leaving changes nothing", async () => {
    const stream = await live();

    expect(await codeOf(publish(stream, "2"))).equal("publisher_connected");
    expect(await world.broadcasts.publishDone({ stream, clientId: "2" })).equal(null);
    expect(await codeOf(publish(stream, "1"))).equal("ok");
    await world.pass(BROADCAST_GRACE_MS);

    expect((await read(stream)).isLive).equal(true);
  });

  it("refuse an old key and an owner who is banned", async () => {
    const stream = await world.stream();
    const rotated = { ...stream, streamKeyHash: newId() };
    const banned = await world.stream({ userId: await world.user("banned") });

    expect(await codeOf(publish(rotated, "1"))).equal("stream_key_refused");
    expect(await codeOf(publish(banned, "1"))).equal("stream_key_refused");
  });

  for (const [cause, reason] of [
    ["rotateKey", "key_rotated"],
    ["ownerBanned", "banned"],
  ] as const) {
    const end = (stream: StreamDoc) =>
      cause === "rotateKey" ? rotateKey(stream) : world.broadcasts.ownerBanned(stream._id);

    it(`end at once by ${cause}, live or in the grace`, async () => {
      const [one, two] = [await live(), await live()];
      await world.broadcasts.publishDone({ stream: two, clientId: "1" });

      await end(one);
      await end(two);

      for (const stream of [one, two]) {
        expect((await read(stream)).isLive).equal(false);
        expect((await world.broadcasts.page(stream._id, { skip: 0, limit: 1 })).items[0]?.endReason).equal(
          reason,
        );
      }
      expect(await codeOf(end(one))).equal("ok");
    });
  }

  it("keep a history of every change, with its cause", async () => {
    const stream = await live();
    await world.broadcasts.publishDone({ stream, clientId: "1" });
    await rotateKey(stream);

    const { items, total } = await world.broadcasts.history(stream._id, { skip: 0, limit: 10 });

    expect(total).equal(5);
    expect(items.map(({ event, from, to }) => `${event}: ${from} → ${to}`)).deep.equal([
      "create: null → offline",
      "published: offline → starting",
      "xstate.after.firstPicture.live-stream.starting: starting → live",
      "publishEnded: live → interrupted",
      "keyRotated: interrupted → offline",
    ]);
  });
});
