import { expect } from "chai";
import { keys, shardOf } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { type Channel, givenChannels } from "../../support/given-channels.ts";
import { openWorld, type World } from "../../support/world.ts";

/** As many as admission lets a shard's live stream hold. */
const BOUND = 50_000;
const AT_ONCE = 5_000;
/** What nobody holds: with it no process archives. */
const NOBODY = "nobody";

describe("Chat while the archive has fallen behind by all that memory is meant to hold", function () {
  this.timeout(60_000);
  let world: World;
  let full: Channel;
  let other: Channel;

  before(async () => {
    world = await openWorld();
    const given = givenChannels(world);
    full = await given.channel();
    do {
      other = await given.channel();
    } while (shardOf(other.stream.id) === shardOf(full.stream.id));
  });
  after(async () => {
    const { redis } = world.core;
    await redis.del(keys.archiveLease(0));
    // Whatever came of it: other specs' rooms are in that shard, too.
    await redis.xtrim(keys.shardLive(shardOf(full.stream.id)), "MAXLEN", 0);
    await world.close();
  });

  const say = ({ owner, at }: Channel, content: string) =>
    owner.api.call("sendChatMessage", { params: at, body: { content } });

  /** Events that the archive has nothing to do for but to pass them. */
  async function fill(shard: number): Promise<void> {
    const { redis } = world.core;
    const name = `${full.stream.id} 1 1`;
    for (let left = BOUND - (await redis.xlen(keys.shardLive(shard))); left > 0; left -= AT_ONCE) {
      const pipeline = redis.pipeline();
      for (let i = 0; i < Math.min(left, AT_ONCE); i++) pipeline.xadd(keys.shardLive(shard), "*", name, "{}");
      await pipeline.exec();
    }
  }

  it("is refused with 503 and a time, in the shard that is full alone, and goes on by itself", async () => {
    const { redis } = world.core;
    await redis.set(keys.archiveLease(0), NOBODY, "PX", 60_000);
    expect((await say(full, "still taken")).status).equal(201);
    await fill(shardOf(full.stream.id));

    const refused = await say(full, "too much");
    expect(refused).include({ status: 503, code: "unavailable" });
    expect(refused.details.retry_after_ms).equal(5_000);
    expect(refused.headers.get("retry-after")).equal("5");
    expect((await say(other, "elsewhere")).status).equal(201);

    await redis.del(keys.archiveLease(0));

    await eventually(async () => (await say(full, "goes on")).status === 201, {
      withinMs: 40_000,
      what: "chat is taken again",
    });
    const { items } = await full.owner.api.ok("listChatMessages", { params: full.at });
    expect(items.map(({ content }) => content)).deep.equal(["still taken", "goes on"]);
    const chat = world.core.mongo.db.collection("chat_messages");
    await eventually(async () => (await chat.countDocuments({ streamId: full.stream.id })) === 2);
  });
});
