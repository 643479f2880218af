import { expect } from "chai";
import { cursorOf } from "../../../base/room-position.ts";
import { startChatArchive } from "../../../jobs/chat/archive/chat-archive.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { chatMessageDoc, chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { keys } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { openRoomsWorld, quiet, type RoomsWorld, talker } from "./world.ts";

const SECOND_MS = 1_000;

describe("a room's replay", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  /** One message a second, "0" first; resolves to when that was sent. */
  async function talk(stream: StreamDoc, count: number, first = 0): Promise<number> {
    const startedAt = world.clock.now();
    for (let n = first; n < first + count; n++) {
      await world.say(stream, talker(), String(n));
      world.advance(SECOND_MS);
    }
    return startedAt;
  }

  const archived = (stream: StreamDoc) => chatMessagesIn(world.db).pageBefore(stream._id, null, 1_000);

  async function archive(stream: StreamDoc, count: number): Promise<void> {
    const job = await startChatArchive({ redis: world.redis, archiveDb: world.db, log: quiet });
    await eventually(async () => expect(await archived(stream)).length(count));
    await job.stop();
  }

  /** What was said from that second on and before the other one. */
  async function said(stream: StreamDoc, startedAt: number, [from, to]: [number, number], limit = 100) {
    const time = {
      from: new Date(startedAt + from * SECOND_MS),
      to: new Date(startedAt + to * SECOND_MS),
    };
    const { found, hasMore, reached } = await world.rooms.replay({ streamId: stream._id, ...time, limit });
    return { lines: found.map(({ message }) => message.content), hasMore, reached };
  }

  it("has the messages of its time from the log, while nothing is archived", async () => {
    const stream = await world.channel();
    const startedAt = await talk(stream, 8);

    const { lines, hasMore } = await said(stream, startedAt, [3, 6]);

    expect([lines, hasMore]).deep.equal([["3", "4", "5"], false]);
    expect((await said(stream, startedAt, [0, 100])).lines).length(8);
    expect((await said(stream, startedAt, [6, 8], 1)).lines).deep.equal(["6"]);
    expect((await said(stream, startedAt, [8, 100])).lines).deep.equal([]);
    expect((await said(stream, startedAt, [-10, 0])).lines).deep.equal([]);
  });

  it("has the messages of its time from the archive, once the log has none", async () => {
    const stream = await world.channel();
    const startedAt = await talk(stream, 8);
    await archive(stream, 8);
    await world.redis.del(keys.roomLog(stream._id));

    expect((await said(stream, startedAt, [3, 6])).lines).deep.equal(["3", "4", "5"]);
    expect((await said(stream, startedAt, [0, 2])).lines).deep.equal(["0", "1"]);
  });

  it("joins what is archived with what isn't yet, also where deletions were archived first", async () => {
    const stream = await world.channel();
    const startedAt = await talk(stream, 4);
    await archive(stream, 4);
    await talk(stream, 4, 4);
    const { message, ...position } = await world.say(stream, talker(), "8");
    await inTransaction(world.stores.mongo.client, (session) =>
      chatMessagesIn(world.db).delete(
        chatMessageDoc(stream._id, position, message),
        new Date(world.clock.now()),
        session,
      ),
    );

    expect((await said(stream, startedAt, [2, 7])).lines).deep.equal(["2", "3", "4", "5", "6"]);
    expect((await said(stream, startedAt, [6, 100])).lines).deep.equal(["6", "7", "8"]);
  });

  it("is read on from its cursor without gaps or repeats, whatever the limit", async () => {
    const stream = await world.channel();
    const startedAt = await talk(stream, 7);
    await archive(stream, 7);
    await talk(stream, 3, 7);
    const time = { from: new Date(startedAt), to: new Date(startedAt + 9 * SECOND_MS) };

    for (const limit of [1, 2, 4, 9, 100]) {
      const lines: string[] = [];
      let after = null;
      for (let pages = 0; pages < 20; pages++) {
        const page = await world.rooms.replay({ streamId: stream._id, ...time, after, limit });
        lines.push(...page.found.map(({ message }) => message.content));
        expect(page.found.length, cursorOf(page.reached)).most(limit);
        after = page.reached;
        if (!page.hasMore) break;
      }
      expect(lines, String(limit)).deep.equal(["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
    }
  });

  it("never goes before its time, whatever cursor it is given", async () => {
    const stream = await world.channel();
    const startedAt = await talk(stream, 4);
    const time = { from: new Date(startedAt + 2 * SECOND_MS), to: new Date(startedAt + 9 * SECOND_MS) };
    const after = { epoch: 0, seq: 0 };

    const { found } = await world.rooms.replay({ streamId: stream._id, ...time, after, limit: 10 });

    expect(found.map(({ message }) => message.content)).deep.equal(["2", "3"]);
  });
});
