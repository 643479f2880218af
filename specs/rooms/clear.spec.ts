import { expect } from "chai";
import { startChatArchive } from "../../jobs/chat-archive/chat-archive.ts";
import { createRooms, type Rooms } from "../../realtime/rooms/rooms.ts";
import { chatMessagesIn } from "../../store/mongo/chat-messages.ts";
import type { StreamDoc, Streams } from "../../store/mongo/streams.ts";
import { keys } from "../../store/redis/keys.ts";
import { eventually } from "../support/eventually.ts";
import { codeOf, openRoomsWorld, quiet, type RoomsWorld, talker } from "./world.ts";

const START = { epoch: 0, seq: 0 };

describe("A chat that was cleared", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  async function archived(stream: StreamDoc, messages: number): Promise<void> {
    const archive = await startChatArchive({ redis: world.redis, db: world.db, log: quiet });
    const messagesIn = chatMessagesIn(world.db);
    await eventually(async () => expect(await messagesIn.pageBefore(stream._id, null, 100)).length(messages));
    await archive.stop();
  }

  /** As an empty Redis that has taken the place of ours knows the room. */
  const loseAll = async ({ _id }: StreamDoc) =>
    void (await world.redis.del(await world.redis.keys(`${keys.room(_id)}:*`)));

  const clear = ({ _id }: StreamDoc) => world.act(_id, "chat.cleared", {}, [{ kind: "clear" }]);

  /** Texts as every way of reading history shows them; "" for what is deleted. */
  async function shown({ _id: streamId }: StreamDoc): Promise<string[]> {
    const backward = await world.rooms.history({ streamId, limit: 100 });
    const forward = await world.rooms.history({ streamId, after: START, limit: 100 });
    expect(forward.items).deep.equal(backward.items);
    for (const { is_deleted, content } of backward.items) expect(is_deleted).equal(content === "");
    return backward.items.map(({ content }) => content);
  }

  /** Said in an epoch that is over, archived, and gone from Redis; then there is another message, and the clear. */
  async function clearedRoom() {
    const stream = await world.channel();
    const { message, epoch } = await world.say(stream, talker(), "of an epoch before");
    await archived(stream, 1);
    await loseAll(stream);
    await world.say(stream, talker(), "of this epoch");
    expect((await world.rooms.position(stream._id)).epoch).above(epoch);
    await clear(stream);
    return { stream, message };
  }

  it("shows nothing of what was said before, in whatever epoch, in log and archive", async () => {
    const { stream, message } = await clearedRoom();
    await world.say(stream, talker(), "after it");

    expect(await shown(stream)).deep.equal(["", "", "after it"]);
    expect(await world.rooms.findMessage(stream._id, message.uuid)).deep.include({
      is_deleted: true,
      content: "",
    });
    const reply = { streamId: stream._id, sender: talker(), content: "what?", replyToId: message.uuid };
    expect(codeOf(await world.rooms.send(reply))).equal("not_found");
  });

  it("is cleared also after Redis has lost everything, and what is said then is shown", async () => {
    const { stream } = await clearedRoom();
    await archived(stream, 2);
    await loseAll(stream);

    expect(await shown(stream)).deep.equal(["", ""]);
    await world.say(stream, talker(), "after it");
    expect(await shown(stream)).deep.equal(["", "", "after it"]);
  });

  it("is cleared at a server that has the log and never heard of the clear", async () => {
    const stream = await world.channel();
    await world.say(stream, talker(), "said before");
    await clear(stream);
    await world.redis.hdel(keys.roomState(stream._id), "cleared");
    await world.redis.hset(keys.roomState(stream._id), "run", "another-server");

    expect(await shown(stream), "while no state was loaded").deep.equal([""]);
    await world.say(stream, talker(), "after it");
    expect(await shown(stream)).deep.equal(["", "after it"]);
    const replayed = await world.rooms.log.after(stream._id, START, 10);
    expect(replayed.join()).not.include("said before");
  });

  it("is kept by whoever repeats the clear of one that died on the way", async () => {
    const stream = await world.channel();
    await world.say(stream, talker(), "said before");
    await archived(stream, 1);
    const died: Streams["setCleared"] = () => Promise.reject(new Error("died"));
    const telling = (rooms: Rooms) =>
      rooms.publish({
        streamId: stream._id,
        type: "chat.cleared",
        data: {},
        actor: { ref: `moderation:${stream._id}`, version: 1_000, n: 0 },
        effects: [{ kind: "clear" }],
      });
    const { redis, db, streams, people, follows, clock } = world;
    const other = createRooms({
      ...{ redis, mongo: db, people, follows, clock, log: quiet },
      streams: { ...streams, setCleared: died },
    });
    const outcome = await telling(other).catch((err: unknown) => String(err));
    other.close();
    expect(outcome).equal("Error: died");

    expect((await telling(world.rooms)).published).equal(false);
    await loseAll(stream);

    expect(await shown(stream)).deep.equal([""]);
  });

  it("never goes back to an earlier clear", async () => {
    const { _id } = await world.channel();
    const places = [
      [5, 3],
      [5, 2],
      [4, 9],
      [5, 4],
      [6, 1],
      [5, 9],
    ] as const;

    const kept = [];
    for (const [epoch, seq] of places) {
      await world.streams.setCleared(_id, { epoch, seq });
      const place = await world.streams.clearedUpTo(_id);
      kept.push([place?.epoch, place?.seq]);
    }

    expect(kept).deep.equal([
      [5, 3],
      [5, 3],
      [5, 3],
      [5, 4],
      [6, 1],
      [6, 1],
    ]);
  });
});
