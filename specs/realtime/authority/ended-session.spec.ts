import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { keys, SHARDS, shardOf } from "../../../store/redis/keys.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, talker } from "../rooms/world.ts";

describe("A session that has ended", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld({ clock: "real" });
  });
  after(() => world.close());

  const send = async (streamId: string, sessionId: string | null, nonce?: string) => {
    const sender = { ...talker(), ...(sessionId === null ? {} : { sessionId }) };
    return codeOf(
      await world.rooms.send({ streamId, sender, content: `says ${newId()}`, nonce: nonce ?? null }),
    );
  };

  it("is admitted to no room of any shard, and others are", async () => {
    const streams = await Promise.all(Array.from({ length: 40 }, () => world.channel()));
    const [ended, active] = [newId(), newId()];
    expect(await send(streams[0]?._id ?? "", ended)).equal("admitted");

    await world.rooms.endSession(ended);
    await world.rooms.endSession(ended);

    for (const { _id } of streams) {
      expect(await send(_id, ended)).equal("invalid_token");
      expect(await send(_id, active)).equal("admitted");
      expect(await send(_id, null)).equal("admitted");
    }
    expect(new Set(streams.map(({ _id }) => shardOf(_id))).size).greaterThan(5);
  });

  it("doesn't get again the answer that it got before", async () => {
    const { _id: streamId } = await world.channel();
    const sender = { ...talker(), sessionId: newId() };
    const request = { streamId, sender, content: "once", nonce: "n" };
    expect(codeOf(await world.rooms.send(request))).equal("admitted");

    await world.rooms.endSession(sender.sessionId);

    expect(codeOf(await world.rooms.send(request))).equal("invalid_token");
  });

  it("is forgotten when its last access token has run out", async () => {
    await world.rooms.endSession(newId());

    for (let shard = 0; shard < SHARDS; shard++) {
      expect(await world.redis.pttl(keys.shardEnded(shard))).within(15 * 60_000, 16 * 60_000);
    }
  });
});
