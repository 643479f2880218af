// @waits: for runs of the archive.
import { expect } from "chai";
import type { Rooms } from "../../../realtime/rooms/rooms.ts";
import type { StreamDoc, Streams } from "../../../store/mongo/channels/streams.ts";
import { keys } from "../../../store/redis/keys.ts";
import { lossesIn } from "./losses.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, talker } from "./world.ts";

describe("A chat that was cleared", () => {
  let world: RoomsWorld;
  let losses: ReturnType<typeof lossesIn>;
  before(async () => {
    world = await openRoomsWorld();
    losses = lossesIn(world);
  });
  after(() => world.close());

  const clear = ({ _id }: StreamDoc) => world.act(_id, "chat.cleared", {}, [{ kind: "clear" }]);

  /** A message of an epoch that is over, archived, and gone from Redis; then there is another message, and the clear. */
  async function clearedRoom() {
    const stream = await world.channel();
    const { message, epoch } = await world.say(stream, talker(), "of an epoch before");
    await losses.archive(stream, 1);
    await losses.loseAll(stream);
    await world.say(stream, talker(), "of this epoch");
    expect((await world.rooms.position(stream._id)).epoch).above(epoch);
    await clear(stream);
    return { stream, message };
  }

  it("shows nothing of what was sent before, in whatever epoch, in log and archive", async () => {
    const { stream, message } = await clearedRoom();
    await world.say(stream, talker(), "after it");

    expect(await losses.shown(stream)).deep.equal(["", "", "after it"]);
    expect(await world.rooms.findMessage(stream._id, message.uuid)).deep.include({
      is_deleted: true,
      content: "",
    });
    const reply = { streamId: stream._id, sender: talker(), content: "what?", replyToId: message.uuid };
    expect(codeOf(await world.rooms.send(reply))).equal("not_found");
  });

  it("is cleared also after Redis has lost everything, and messages after it are shown", async () => {
    const { stream } = await clearedRoom();
    await losses.archive(stream, 2);
    await losses.loseAll(stream);

    expect(await losses.shown(stream)).deep.equal(["", ""]);
    await world.say(stream, talker(), "after it");
    expect(await losses.shown(stream)).deep.equal(["", "", "after it"]);
  });

  it("is cleared at a server that has the log and never received the clear", async () => {
    const stream = await world.channel();
    await world.say(stream, talker(), "sent before");
    await clear(stream);
    await world.redis.hdel(keys.roomState(stream._id), "cleared");
    await world.redis.hset(keys.roomState(stream._id), "run", "another-server");

    expect(await losses.shown(stream), "while no state was loaded").deep.equal([""]);
    await world.say(stream, talker(), "after it");
    expect(await losses.shown(stream)).deep.equal(["", "after it"]);
    expect(await losses.replayed(stream)).not.include("sent before");
  });

  it("is kept by the process that repeats the clear of one that died on the way", async () => {
    const stream = await world.channel();
    await world.say(stream, talker(), "sent before");
    await losses.archive(stream, 1);
    const died: Streams["setCleared"] = () => Promise.reject(new Error("died"));
    const publishClear = (rooms: Rooms) =>
      rooms.publish({
        streamId: stream._id,
        type: "chat.cleared",
        data: {},
        actor: { ref: `moderation:${stream._id}`, version: 1_000, n: 0 },
        effects: [{ kind: "clear" }],
      });
    const other = world.otherRooms({ streams: { ...world.streams, setCleared: died } });
    const outcome = await publishClear(other).catch((err: unknown) => String(err));
    other.close();
    expect(outcome).equal("Error: died");

    expect((await publishClear(world.rooms)).published).equal(false);
    await losses.loseAll(stream);

    expect(await losses.shown(stream)).deep.equal([""]);
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
