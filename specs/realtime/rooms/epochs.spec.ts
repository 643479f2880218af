import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { keys } from "../../../store/redis/keys.ts";
import { lossesIn } from "./losses.ts";
import { openRoomsWorld, type RoomsWorld, talker } from "./world.ts";

const AHEAD_MS = 600_000;

describe("A room's new epoch", () => {
  let world: RoomsWorld;
  let losses: ReturnType<typeof lossesIn>;
  before(async () => {
    world = await openRoomsWorld();
    losses = lossesIn(world);
  });
  after(() => world.close());

  const epochOf = async ({ _id }: StreamDoc) => (await world.rooms.position(_id)).epoch;

  /** Its newest archived message is of an epoch that Redis' clock hasn't come to yet. */
  async function roomOfTheFuture() {
    const stream = await world.channel();
    const epoch = Date.now() + AHEAD_MS;
    const doc = {
      _id: newId(),
      streamId: stream._id,
      epoch,
      seq: 5,
      userId: newId(),
      username: "someone",
      roomId: 1,
      content: "hello",
      replyToId: null,
      replyToUser: null,
      sentAt: new Date(),
      deletedAt: null,
    };
    await chatMessagesIn(world.db).archive([{ kind: "message", doc }], new Date());
    return { stream, epoch };
  }

  it("has a number that it never had, also when nothing of the one before was archived", async () => {
    const { stream, epoch } = await roomOfTheFuture();
    const epochs = [epoch];
    for (let loss = 0; loss < 3; loss++) {
      epochs.push(await epochOf(stream));
      await world.act(stream._id, "stream.updated", { title: "no message" });
      await losses.loseAll(stream);
    }

    expect(epochs).deep.equal([...new Set(epochs)].sort((a, b) => a - b));
  });

  it("is greater than what only the server knows", async () => {
    const stream = await world.channel();
    await world.say(stream, talker(), "hello");
    const ahead = Date.now() + AHEAD_MS;
    await world.redis.hset(keys.roomState(stream._id), "run", "another-server", "epoch", String(ahead));
    expect(await epochOf(stream)).above(ahead);
    await world.redis.xadd(keys.roomLog(stream._id), `${ahead + AHEAD_MS}-1`, "e", "{}");
    await world.redis.del(keys.roomState(stream._id));

    expect(await epochOf(stream)).above(ahead + AHEAD_MS);
  });

  it("is the same for two workers that begin it at once", async () => {
    const { stream } = await roomOfTheFuture();
    const workers = [...Array(4)].map(() => world.otherRooms());

    const found = await Promise.all(workers.map((rooms) => rooms.position(stream._id)));

    for (const rooms of workers) rooms.close();
    expect(new Set(found.map(({ epoch }) => epoch)).size).equal(1);
  });
});
