import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { createIdentities } from "../../../realtime/rooms/identities.ts";
import { createLookupSlots } from "../../../realtime/rooms/lookup-slots.ts";
import { keys } from "../../../store/redis/keys.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, talker } from "./world.ts";

describe("what a worker knows of rooms", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld({ clock: "real" });
  });
  after(() => world.close());

  /** A worker that remembers three idle rooms, with its reads of MongoDB. */
  function worker() {
    const reads: string[] = [];
    const streams = {
      find: (streamId: string) => {
        reads.push(streamId);
        return world.streams.find(streamId);
      },
    };
    return {
      reads,
      ...createIdentities({ redis: world.redis, streams, slots: createLookupSlots(3), mostIdle: 3 }),
    };
  }
  const channels = (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await world.channel())._id));

  it("lasts as long as somebody follows the room, however many rooms there are", async () => {
    const { reads, of, hold, release, isKnown } = worker();
    const streamIds = await channels(20);
    for (const streamId of streamIds) {
      hold(streamId);
      await of(streamId);
    }
    for (const other of await channels(10)) await of(other);
    reads.length = 0;

    for (const streamId of streamIds) {
      expect(isKnown(streamId)).equal(true);
      await of(streamId);
    }
    expect(reads).deep.equal([]);

    for (const streamId of streamIds) release(streamId);
    expect(streamIds.filter(isKnown)).deep.equal(streamIds.slice(-3));
  });

  it("is forgotten first of those that weren't read lately", async () => {
    const { of, isKnown } = worker();
    const [a = "", b = "", c = "", d = ""] = await channels(4);
    for (const streamId of [a, b, c, a, d]) await of(streamId);

    expect([a, b, c, d].map(isKnown)).deep.equal([true, false, true, true]);
  });

  it("is read from MongoDB once for all concurrent callers, and not where another worker has looked it up", async () => {
    const [streamId = ""] = await channels(1);
    const [first, second] = [worker(), worker()];

    const answers = await Promise.all(Array.from({ length: 50 }, () => first.of(streamId)));
    const later = await second.of(streamId);

    expect(first.reads).deep.equal([streamId]);
    expect(second.reads).deep.equal([]);
    expect(new Set([...answers, later].map((answer) => JSON.stringify(answer))).size).equal(1);
    expect(await world.redis.ttl(keys.roomIdentity(streamId))).within(24 * 3_600, 25 * 3_600);
  });

  it("is never that there is no such room", async () => {
    const { reads, of, isKnown } = worker();
    const streamId = newId();
    for (let tries = 0; tries < 2; tries++) {
      const refused = await of(streamId).catch((err: unknown) => err);
      expect(refused).property("code", "not_found");
    }

    expect(reads).deep.equal([streamId, streamId]);
    expect(isKnown(streamId)).equal(false);
  });

  it("is what messages are made of, also in a room that this worker sees for the first time", async () => {
    const stream = await world.channel();
    expect(codeOf(await world.say(stream, talker(), "here"))).equal("admitted");
    const elsewhere = await openRoomsWorld({
      stores: { ...world.stores, close: async () => undefined },
      clock: "real",
    });

    const { message } = await elsewhere.say(stream, talker(), "there");

    expect(message.room_id).equal(stream.roomId);
    await elsewhere.close();
  });
});
