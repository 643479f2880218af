import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { RoomFeed } from "../../../realtime/gateway/feed/room-feed.ts";
import type { LiveEvent } from "../../../realtime/rooms/event.ts";
import { keys } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { openRoomsWorld, quiet, type RoomsWorld, talker } from "../rooms/world.ts";

describe("A room as a worker sends it out", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld({ clock: "real" });
  });
  after(() => world.close());

  const replayStats = { replayReads: 0, replayShared: 0, ringReplays: 0 };
  const feedOf = (streamId: string) =>
    new RoomFeed(streamId, {
      onRaidEvent: () => undefined,
      rooms: world.rooms,
      log: quiet,
      publish: () => undefined,
      followers: () => 1,
      onTouched: () => undefined,
      onBehind: () => undefined,
      replayStats,
    });

  it("gives the memory of its last events back when nobody follows it any more", async () => {
    const streamId = (await world.channel())._id;
    const { epoch } = await world.rooms.position(streamId);
    const live = (seq: number): LiveEvent => ({
      streamId,
      epoch,
      seq,
      redactions: null,
      payload: Buffer.alloc(1_000, "x"),
    });
    const filled = async () => {
      const feed = feedOf(streamId);
      await feed.start();
      for (let seq = 1; seq <= 200; seq++) feed.receive(live(seq));
      return feed;
    };
    // Many times what all rooms of a process may hold together.
    for (let room = 0; room < 800; room++) (await filled()).close();

    const feed = await filled();

    expect(feed.reaches({ epoch, seq: 0 })).equal(true);
    feed.close();
  });

  it("drops what comes late of an epoch that is over, whichever number it has", async () => {
    const { _id: streamId } = await world.channel();
    const feed = feedOf(streamId);
    await feed.start();
    const { epoch } = feed.position;
    const live = (of: number, seq: number): LiveEvent => ({
      streamId,
      epoch: of,
      seq,
      redactions: null,
      payload: Buffer.from("{}"),
    });

    feed.receive(live(epoch - 1_000, 7));
    feed.receive(live(epoch + 1_000, 9));
    feed.receive(live(epoch, 1));
    await eventually(() => feed.isOver(epoch - 1_000) && feed.isOver(epoch + 1_000));

    await eventually(() => expect(feed.position).deep.equal({ epoch, seq: 1 }));
    feed.close();
  });

  it("follows the room to an epoch below its own", async () => {
    const stream = await world.channel();
    await world.redis.xadd(keys.roomLog(stream._id), `${Date.now() + 10_000_000}-1`, "e", "{}");
    const feed = feedOf(stream._id);
    await feed.start();
    const before = feed.position.epoch;
    // As after an older release, which kept no epochs there.
    await world.streams.update(stream._id, { $unset: { chatEpoch: "" } });
    await world.redis.del(keys.roomLog(stream._id), keys.roomState(stream._id));
    const { epoch, seq } = await world.say(stream, talker(), "after");

    feed.receive({
      streamId: stream._id,
      epoch,
      seq,
      redactions: null,
      payload: Buffer.from("{}"),
    });
    await eventually(() => expect(feed.position).deep.equal({ epoch, seq: 1 }));

    expect(epoch).below(before);
    expect(feed.isOver(before)).equal(true);
    feed.close();
  });

  it("shows nobody a text that was deleted while it was read of the log", async () => {
    const stream = await world.channel();
    const uuids: string[] = [];
    for (let n = 0; n < 5; n++) uuids.push((await world.say(stream, talker(), `text ${n}`)).message.uuid);
    const { epoch } = await world.rooms.position(stream._id);
    const feed = feedOf(stream._id);
    await feed.start();

    const reading = feed.eventsAfter({ epoch, seq: 0 });
    // As the tail delivers it, before the read has come back.
    feed.receive({
      streamId: stream._id,
      epoch,
      seq: 6,
      payload: Buffer.from("{}"),
      redactions: JSON.stringify([{ kind: "delete", uuid: uuids[2] }]),
    });
    await reading;

    expect(feed.reaches({ epoch, seq: 0 }), "what was read isn't kept").equal(false);
    feed.close();
  });

  it("shows nobody a text whose deletion it had to read of the log", async () => {
    const stream = await world.channel();
    const feed = feedOf(stream._id);
    await feed.start();
    const place = { streamId: stream._id, epoch: feed.position.epoch, redactions: null };
    const { message } = await world.say(stream, talker(), "regretted");
    const [logged] = await world.rooms.log.after(stream._id, { ...place, seq: 0 }, 1);
    feed.receive({ ...place, seq: 1, payload: logged?.payload ?? Buffer.alloc(0) });
    await world.act(stream._id, "chat.message_deleted", { uuid: message.uuid }, [
      { kind: "delete", uuid: message.uuid },
    ]);
    await world.say(stream, talker(), "later");

    // The second event was lost on its way.
    feed.receive({ ...place, seq: 3, payload: Buffer.from('{"type":"chat.message","seq":3}') });
    await eventually(() => feed.position.seq === 3);
    await feed.eventsAfter({ ...place, seq: 0 });

    expect(feed.framesAfter({ ...place, seq: 0 })?.join(""))
      .include('"seq":2')
      .not.include("regretted");
    feed.close();
  });

  it("sends the same bytes to those who come back to one place, until the room goes on", async () => {
    const feed = feedOf((await world.channel())._id);
    await feed.start();
    const { epoch } = feed.position;
    const live = (seq: number): LiveEvent => ({
      streamId: feed.streamId,
      epoch,
      seq,
      redactions: null,
      payload: Buffer.from(JSON.stringify({ seq, id: newId() })),
    });
    for (let seq = 1; seq <= 3; seq++) feed.receive(live(seq));
    const [first, second] = [feed.framesAfter({ epoch, seq: 1 }), feed.framesAfter({ epoch, seq: 1 })];

    feed.receive(live(4));

    expect(second).equal(first);
    expect(JSON.parse(String(first?.[0]))).length(2);
    expect(JSON.parse(String(feed.framesAfter({ epoch, seq: 1 })?.[0]))).length(3);
    expect(feed.framesAfter({ epoch, seq: 4 })).deep.equal([]);
    feed.close();
  });
});
