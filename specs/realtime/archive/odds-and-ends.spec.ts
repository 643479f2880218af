// @waits: for runs of the archive.
import { expect } from "chai";
import { startChatArchive } from "../../../jobs/chat/archive/chat-archive.ts";
import type { ArchiveTiming } from "../../../jobs/chat/archive/shard-archiver.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { keys, shardOf } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { openRoomsWorld, quiet, type RoomsWorld, talker } from "../rooms/world.ts";

describe("The archive of chat", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  const liveOf = (stream: StreamDoc) => keys.shardLive(shardOf(stream._id));
  const archived = async (stream: StreamDoc) => {
    const docs = await chatMessagesIn(world.db).pageBefore(stream._id, null, 1_000);
    return docs.map(({ content }) => content).reverse();
  };

  async function whileArchiving(work: () => Promise<unknown>, timing?: ArchiveTiming): Promise<void> {
    const options = { redis: world.redis, archiveDb: world.db, log: quiet };
    const archive = await startChatArchive({ ...options, ...(timing ? { timing } : {}) });
    try {
      await work();
    } finally {
      await archive.stop();
    }
  }

  it("leaves out what can't be read or stored, and nothing around it", async () => {
    const stream = await world.channel();
    const live = liveOf(stream);
    const uuid = "01a1ff99-0000-7000-8000-000000000000";
    const data = { uuid, content: "x".repeat(17 * 1_048_576), timestamp: Date.now() };
    const huge = `{"type":"chat.message","data":${JSON.stringify(data)}}`;
    const at = (seq: number) => `${stream._id} 1 ${seq}`;

    await world.say(stream, talker(), "before");
    await world.redis.xadd(live, "*", "nobody 1 2", "{}");
    await world.redis.xadd(live, "*", at(1), '{"type":"chat.message",');
    await world.redis.xadd(live, "*", at(2), '{"type":"chat.message","data":null}');
    await world.redis.xadd(live, "*", at(3), "{}", "effects", "7");
    await world.redis.xadd(live, "*", at(4), huge);
    await world.say(stream, talker(), "after");

    await whileArchiving(() =>
      eventually(async () => expect(await archived(stream)).deep.equal(["before", "after"]), {
        withinMs: 15_000,
      }),
    );
    expect((await world.redis.xpending(live, "archive"))[0]).equal(0);
  });

  it("leaves out an effect of another release, or without whom it is about, and what stands beside it counts", async () => {
    const stream = await world.channel();
    const uuids = [];
    for (const content of ["one", "two", "three"]) {
      uuids.push((await world.say(stream, talker(), content)).message.uuid);
    }
    const effects = [
      { kind: "pin", uuid: uuids[0] },
      { kind: "hide" },
      { kind: "delete" },
      null,
      { kind: "delete", uuid: uuids[1] },
    ];
    const name = `${stream._id} 99999999999999 1`;
    await world.redis.xadd(liveOf(stream), "*", name, "{}", "effects", JSON.stringify(effects));

    await whileArchiving(() =>
      eventually(async () => {
        const docs = await chatMessagesIn(world.db).pageBefore(stream._id, null, 10);
        const deleted = docs.filter(({ deletedAt }) => deletedAt !== null).map(({ content }) => content);
        expect({ all: docs.length, deleted }).deep.equal({ all: 3, deleted: ["two"] });
      }),
    );
  });

  it("trims a shard in which nobody talks any more, also one that it didn't archive itself", async () => {
    const stream = await world.channel();
    for (let i = 0; i < 250; i++) await world.say(stream, talker(), `m${i}`);
    await whileArchiving(() => eventually(async () => expect(await archived(stream)).length(250)));
    expect(await world.redis.xlen(liveOf(stream))).above(249);

    await whileArchiving(
      // Trimming takes whole blocks of a hundred entries.
      () => eventually(async () => expect(await world.redis.xlen(liveOf(stream))).below(101)),
      { keepMs: 0, trimEveryMs: 50 },
    );
  });

  it("goes on when its groups are gone with all that Redis held", async () => {
    const stream = await world.channel();
    await whileArchiving(async () => {
      await world.say(stream, talker(), "before");
      await eventually(async () => expect(await archived(stream)).deep.equal(["before"]));

      // What emptying Redis does to this shard, whose server is shared with other specs.
      await world.redis.del(liveOf(stream));
      await world.say(stream, talker(), "after");

      await eventually(async () => expect(await archived(stream)).deep.equal(["before", "after"]));
    });
  });

  it("hands its work over within a moment when it stops", async () => {
    const stream = await world.channel();
    await whileArchiving(async () => undefined);
    const startedAt = performance.now();

    await whileArchiving(async () => {
      await world.say(stream, talker(), "at once");
      await eventually(async () => expect(await archived(stream)).deep.equal(["at once"]));
    });

    // A lease that was left behind would last ten seconds.
    expect(performance.now() - startedAt).below(5_000);
  });
});
