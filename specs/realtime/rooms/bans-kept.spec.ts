// @waits: for runs of the archive.
import { expect } from "chai";
import type { Rooms } from "../../../realtime/rooms/rooms.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { chatHiddenIn } from "../../../store/mongo/chat/chat-hidden.ts";
import { lossesIn } from "./losses.ts";
import { openRoomsWorld, type RoomsWorld, type Talker, talker } from "./world.ts";

describe("Messages of a user who was banned for good then", () => {
  let world: RoomsWorld;
  let losses: ReturnType<typeof lossesIn>;
  before(async () => {
    world = await openRoomsWorld();
    losses = lossesIn(world);
  });
  after(() => world.close());

  const ban = ({ _id }: StreamDoc, { userId }: Talker) =>
    world.act(_id, "chat.user_banned", { user_id: userId }, [{ kind: "ban", userId, untilMs: null }]);
  const unban = ({ _id }: StreamDoc, { userId }: Talker) =>
    world.act(_id, "mod.action", {}, [{ kind: "unban", userId }]);

  async function say(stream: StreamDoc, sender: Talker, ...texts: string[]): Promise<void> {
    for (const text of texts) {
      await world.say(stream, sender, text);
      world.advance(2_000);
    }
  }

  /** Both sent a message before the ban. */
  async function roomOfTwo() {
    const stream = await world.channel();
    const [banned, other] = [talker(), talker()];
    await say(stream, banned, "by the banned");
    await say(stream, other, "by the other");
    return { stream, banned, other };
  }

  it("stay hidden when Redis loses everything before the archive has received the ban", async () => {
    const { stream, banned } = await roomOfTwo();
    await losses.archive(stream, 2);
    await ban(stream, banned);
    await losses.loseLast(stream);
    await losses.loseAll(stream);
    await losses.archive(stream, 2);

    expect(await losses.shown(stream)).deep.equal(["", "by the other"]);
  });

  it("stay hidden when they are archived by an archive that never receives the ban", async () => {
    const { stream, banned } = await roomOfTwo();
    await ban(stream, banned);
    await losses.loseLast(stream);
    await losses.archive(stream, 2);
    await losses.loseAll(stream);

    expect(await losses.shown(stream)).deep.equal(["", "by the other"]);
  });

  it("stay hidden at a server that has the log and never received the ban", async () => {
    const { stream, banned, other } = await roomOfTwo();
    await ban(stream, banned);
    await losses.loseLast(stream);

    expect(await losses.shown(stream), "while no state was loaded").deep.equal(["", "by the other"]);
    await say(stream, other, "after it");
    expect(await losses.shown(stream)).deep.equal(["", "by the other", "after it"]);
    expect(await losses.replayed(stream)).not.include("by the banned");
  });

  it("stay hidden once the ban is lifted, and those sent from then on are shown", async () => {
    const { stream, banned } = await roomOfTwo();
    await losses.archive(stream, 2);
    await ban(stream, banned);
    await unban(stream, banned);
    await say(stream, banned, "sorry");
    expect(await losses.shown(stream)).deep.equal(["", "by the other", "sorry"]);
    await losses.archive(stream, 3);
    await losses.loseAll(stream);

    expect(await losses.shown(stream)).deep.equal(["", "by the other", "sorry"]);
  });

  it("are hidden in this room alone", async () => {
    const { stream, banned } = await roomOfTwo();
    const elsewhere = await world.channel();
    await say(elsewhere, banned, "elsewhere");
    await ban(stream, banned);
    await losses.loseLast(stream);

    expect(await losses.shown(elsewhere)).deep.equal(["elsewhere"]);
  });

  it("are hidden by the process that repeats the ban of one that died on the way", async () => {
    const { stream, banned } = await roomOfTwo();
    await losses.archive(stream, 2);
    const publishBan = (rooms: Rooms) =>
      rooms.publish({
        streamId: stream._id,
        type: "chat.user_banned",
        data: {},
        actor: { ref: `moderation:${stream._id}`, version: 1_000, n: 0 },
        effects: [{ kind: "ban", userId: banned.userId, untilMs: null }],
      });
    // Dies when Redis has answered, before MongoDB is written.
    const dying = world.otherRooms({ mongo: failingAt(world.db, "chat_hidden") });
    const outcome = await publishBan(dying).catch((err: unknown) => String(err));
    dying.close();
    expect(outcome).equal("Error: died");

    expect((await publishBan(world.rooms)).published).equal(false);
    await losses.loseLast(stream);
    await losses.loseAll(stream);

    expect(await losses.shown(stream)).deep.equal(["", "by the other"]);
  });

  it("never come back by an earlier ban that is published late", async () => {
    const { _id: streamId } = await world.channel();
    const { userId } = talker();
    const hidden = chatHiddenIn(world.db);
    const kept = [];
    for (const [epoch, seq] of [
      [1_700_000_000_000, 3],
      [1_700_000_000_000, 2],
      [5, 9],
      [1_700_000_000_000, 10],
      [1_700_000_000_001, 1],
      [1_700_000_000_000, 90],
    ] as const) {
      await hidden.raise(streamId, userId, { epoch, seq });
      const place = (await hidden.upTo(streamId, [userId])).get(userId);
      kept.push([(place?.epoch ?? 0) - 1_700_000_000_000, place?.seq]);
    }

    expect(kept).deep.equal([
      [0, 3],
      [0, 3],
      [0, 3],
      [0, 10],
      [1, 1],
      [1, 1],
    ]);
  });
});

/** The database as a process has it that dies when it comes to writing to that collection. */
function failingAt(db: RoomsWorld["db"], name: string): RoomsWorld["db"] {
  return new Proxy(db, {
    get(target, property) {
      if (property !== "collection") return Reflect.get(target, property, target);
      return (collectionName: string) => {
        const collection = target.collection(collectionName);
        if (collectionName === name) collection.updateOne = () => Promise.reject(new Error("died"));
        return collection;
      };
    },
  });
}
