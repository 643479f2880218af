// @waits: for runs of the archive.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { parseCursor } from "../../../base/room-position.ts";
import { startChatArchive } from "../../../jobs/chat/archive/chat-archive.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { keys, shardOf } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { openRoomsWorld, quiet, type RoomsWorld, talker } from "./world.ts";

describe("the chat archive", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  const start = () => startChatArchive({ redis: world.redis, archiveDb: world.db, log: quiet });
  const archivedIn = (streamId: string) => chatMessagesIn(world.db).pageBefore(streamId, null, 1_000);

  it("keeps each message once, deletions included, also when entries come again", async () => {
    const stream = await world.channel();
    const author = talker();
    const { message } = await world.say(stream, author, "to be deleted");
    await world.say(stream, talker(), "kept");
    await world.act(stream._id, "chat.message_deleted", { uuid: message.uuid }, [
      { kind: "delete", uuid: message.uuid },
    ]);

    const first = await start();
    await eventually(async () => expect(await archivedIn(stream._id)).length(2));
    await first.stop();
    await world.redis.xgroup("SETID", keys.shardLive(shardOf(stream._id)), "archive", "0");
    const second = await start();
    await world.say(stream, talker(), "later");
    await eventually(async () => expect(await archivedIn(stream._id)).length(3));
    await second.stop();

    const docs = await archivedIn(stream._id);
    expect(docs.map(({ seq, deletedAt }) => [seq, deletedAt !== null])).deep.equal([
      [4, false],
      [2, false],
      [1, true],
    ]);
  });

  it("goes on with what was read but not acknowledged by one that died", async () => {
    const stream = await world.channel();
    await world.say(stream, talker(), "read by the dead");
    const key = keys.shardLive(shardOf(stream._id));
    const dead = await start();
    await eventually(async () => expect(await archivedIn(stream._id)).length(1));
    await dead.stop();
    await world.say(stream, talker(), "read, not acknowledged");
    await world.redis.xreadgroup("GROUP", "archive", "archive", "STREAMS", key, ">");

    const next = await start();
    await eventually(async () => expect(await archivedIn(stream._id)).length(2));
    await next.stop();

    expect((await world.redis.xpending(key, "archive"))[0]).equal(0);
  });

  it("hides what was cleared and what banned users sent, as far as the log reaches", async () => {
    const stream = await world.channel();
    const banned = talker();
    await world.say(stream, banned, "hide me");
    await world.act(stream._id, "chat.user_banned", { user_id: banned.userId }, [
      { kind: "ban", userId: banned.userId, untilMs: null },
    ]);
    await world.say(stream, talker(), "clear me");
    await world.act(stream._id, "chat.cleared", {}, [{ kind: "clear" }]);
    await world.say(stream, talker(), "keep me");

    const archive = await start();
    await eventually(async () => expect(await archivedIn(stream._id)).length(3));
    await archive.stop();

    const shown = (await archivedIn(stream._id)).filter(({ deletedAt }) => deletedAt === null);
    expect(shown.map(({ content }) => content)).deep.equal(["keep me"]);
  });

  it("has what is trimmed from the log while a history is read forward", async () => {
    const stream = await world.channel();
    for (let i = 0; i < 5; i++) await world.say(stream, talker(), `m${i}`);
    // Two reads of the log: the first of them meets few messages.
    for (let i = 0; i < 200; i++) await world.act(stream._id, "chat.modes", {});
    for (let i = 5; i < 15; i++) await world.say(stream, talker(), `m${i}`);
    const archive = await start();
    await eventually(async () => expect(await archivedIn(stream._id)).length(15));
    await archive.stop();
    const { epoch, seq } = await world.rooms.position(stream._id);
    const send = world.redis.sendCommand.bind(world.redis);
    world.redis.sendCommand = (...args: Parameters<typeof send>) => {
      const sent = send(...args);
      if (args[0].name !== "xrange" || args[0].args.at(-1) !== "200") return sent;
      world.redis.sendCommand = send;
      return Promise.resolve(sent).then(async (events: unknown) => {
        await world.redis.xtrim(keys.roomLog(stream._id), "MINID", `${epoch}-${seq - 1}`);
        return events;
      });
    };

    const page = await world.rooms.history({ streamId: stream._id, after: { epoch, seq: 0 }, limit: 50 });

    expect(page.items.map(({ content }) => content)).deep.equal([...Array(15).keys()].map((i) => `m${i}`));
  });

  it("reads nothing of the archive when a history goes on where the log has it", async () => {
    const stream = await world.channel();
    await world.say(stream, talker(), "one");
    const place = await world.rooms.position(stream._id);
    await world.say(stream, talker(), "two");
    const archive = chatMessagesIn(world.db);
    await archive.archive(
      [
        {
          kind: "message",
          doc: {
            _id: newId(),
            streamId: stream._id,
            epoch: place.epoch,
            seq: place.seq + 5,
            userId: newId(),
            username: "someone",
            roomId: 1,
            content: "archive",
            replyToId: null,
            replyToUser: null,
            sentAt: new Date(),
            deletedAt: null,
          },
        },
      ],
      new Date(),
    );
    const readOn = (from: typeof place) =>
      world.rooms.history({ streamId: stream._id, after: from, limit: 10 });

    expect((await readOn(place)).items.map(({ content }) => content)).deep.equal(["two"]);
    expect((await readOn({ ...place, seq: place.seq + 1 })).items).deep.equal([]);
  });

  it("shows nothing of a deleted message's content, its emotes neither", async () => {
    const stream = await world.channel();
    const place = { epoch: (await world.rooms.position(stream._id)).epoch, seq: 1 };
    const emote = { id: newId(), name: "Wave", url: "https://a.example/w", start_pos: 0, end_pos: 4 };
    const doc = {
      _id: newId(),
      streamId: stream._id,
      ...place,
      userId: newId(),
      username: "someone",
      roomId: 1,
      content: "Wave",
      replyToId: null,
      replyToUser: null,
      sentAt: new Date(),
      deletedAt: new Date(),
      emotes: [{ ...emote, is_global: false }],
    };
    await chatMessagesIn(world.db).archive([{ kind: "message", doc }], new Date());

    const shown = await world.rooms.findMessage(stream._id, doc._id);
    expect(shown).include({ is_deleted: true, content: "" });
    expect(shown?.emotes).deep.equal([]);
  });

  it("continues a history where the log ends", async () => {
    const stream = await world.channel();
    for (let i = 0; i < 30; i++) await world.say(stream, talker(), `m${i}`);
    const archive = await start();
    await eventually(async () => expect(await archivedIn(stream._id)).length(30));
    await archive.stop();
    const { epoch } = await world.rooms.position(stream._id);
    await world.redis.xtrim(keys.roomLog(stream._id), "MINID", `${epoch}-21`);
    const all = [...Array(30).keys()].map((i) => `m${i}`);

    const newest = await world.rooms.history({ streamId: stream._id, limit: 15 });
    const older = await world.rooms.history({
      streamId: stream._id,
      before: parseCursor(newest.before_cursor ?? ""),
      limit: 15,
    });
    const forward = await world.rooms.history({ streamId: stream._id, after: { epoch, seq: 0 }, limit: 30 });

    const texts = ({ items }: typeof newest) => items.map(({ content }) => content);
    expect([...texts(older), ...texts(newest)]).deep.equal(all);
    expect([older.has_more, newest.has_more]).deep.equal([false, true]);
    expect(texts(forward)).deep.equal(all);
    await world.redis.del(keys.roomLog(stream._id));
    expect(texts(await world.rooms.history({ streamId: stream._id, limit: 30 }))).deep.equal(all);
  });
});
