// @waits: for a hot room to be rebalanced.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { keys, shardOf } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import {
  chatter,
  expectContiguous,
  type GatewayWorld,
  openGatewayWorld,
  type Socket,
  textsIn,
} from "./world.ts";

const AHEAD_MS = 10_000_000;

describe("A room after the clock of Redis stepped back", () => {
  let world: GatewayWorld;
  let gateways: Gateway[];
  before(async () => {
    world = await openGatewayWorld();
    gateways = [await world.gateway(), await world.gateway()];
  });
  after(() => world.close());

  /** One whose epoch, and the live stream of its shard, began while the clock was ahead of what it is now. */
  async function roomOfTheFuture(): Promise<{ stream: StreamDoc; epoch: number }> {
    const stream = await world.channel();
    const ahead = Date.now() + AHEAD_MS;
    await world.redis.xadd(keys.roomLog(stream._id), `${ahead}-1`, "e", "{}");
    await world.redis.xadd(keys.shardLive(shardOf(stream._id)), `${ahead}-0`, `${newId()} 1 1`, "{}");
    return { stream, epoch: (await world.rooms.position(stream._id)).epoch };
  }

  /** As FLUSHALL does, for this room and its shard; MongoDB has no epoch of it either, as after an older release. */
  async function loseAll({ _id }: StreamDoc): Promise<void> {
    await world.streams.update(_id, { $unset: { chatEpoch: "" } });
    const ofRoom = await world.redis.keys(`${keys.room(_id)}:*`);
    await world.redis.del(...ofRoom, keys.shardLive(shardOf(_id)));
  }

  const viewers = (stream: StreamDoc): Socket[] =>
    gateways.map((at) => world.socket(at, `/v1/ws/chat/${stream._id}`));
  const epochsIn = (socket: Socket) => socket.ofType("room.epoch").map(({ data }) => data);

  it("reaches everybody with the messages of an epoch below the one that they have seen", async () => {
    const { stream, epoch } = await roomOfTheFuture();
    const sockets = viewers(stream);
    await Promise.all(sockets.map((socket) => socket.next("subscribed")));
    await chatter(world, stream, ["before"]);
    for (const socket of sockets) await eventually(() => textsIn(socket.messages).length === 1);

    await loseAll(stream);
    await chatter(world, stream, ["after", "and on"]);
    for (const socket of sockets) await eventually(() => textsIn(socket.messages).length === 3);

    // Live again: nobody waits for the next look at what may be missing.
    for (const [i, text] of ["live", "and live"].entries()) {
      await chatter(world, stream, [text]);
      for (const socket of sockets) {
        await eventually(() => textsIn(socket.messages).length === 4 + i, { withinMs: 1_000 });
      }
    }

    const now = await world.rooms.position(stream._id);
    expect(now.epoch).below(epoch);
    for (const socket of sockets) {
      expect(textsIn(socket.messages)).deep.equal(["before", "after", "and on", "live", "and live"]);
      expect(epochsIn(socket)).deep.equal([{ epoch: now.epoch, continuous: false }]);
      const begun = socket.messages.findIndex(({ type }) => type === "room.epoch");
      expectContiguous(socket.messages.slice(begun), 1);
      expect(socket.problems).deep.equal([]);
    }
  });

  it("announces the new epoch also while it has no messages", async () => {
    const { stream } = await roomOfTheFuture();
    const [socket] = viewers(stream);
    if (!socket) throw new Error("Nobody is there");
    await socket.next("subscribed");

    await loseAll(stream);
    await eventually(() => epochsIn(socket).length === 1);

    const { epoch } = await world.rooms.position(stream._id);
    expect(epochsIn(socket)).deep.equal([{ epoch, continuous: false }]);
  });

  it("announces a gap to a client that comes back, and then sends all of the new epoch", async () => {
    const { stream } = await roomOfTheFuture();
    const url = `ws://127.0.0.1:${gateways[0]?.port}`;
    const client = world.client({ url, streamId: stream._id });
    await eventually(() => client.isLive);
    await chatter(world, stream, ["before"]);
    await eventually(() => textsIn(client.seen).length === 1);
    const left = client.position ?? "";
    client.close();
    await loseAll(stream);
    await chatter(world, stream, ["missed"]);

    const returned = world.client({ url, streamId: stream._id, after: left });
    await eventually(() => returned.isLive);
    await chatter(world, stream, ["after"]);
    await eventually(() => textsIn(returned.seen).includes("after"));

    const subscribed = returned.seen.find(({ type }) => type === "subscribed");
    expect(subscribed?.data).deep.include({ recovered: false });
    const further = world.client({ url, streamId: stream._id, after: returned.position ?? "" });
    await eventually(() => further.isLive);
    expect(further.seen.find(({ type }) => type === "subscribed")?.data).deep.include({ recovered: true });
  });

  it("begins an epoch above all that the archive has of it", async () => {
    const { stream, epoch } = await roomOfTheFuture();
    const { message, seq } = await world.say(stream, { userId: newId(), username: "someone" }, "archived");
    const doc = {
      _id: message.uuid,
      streamId: stream._id,
      epoch,
      seq,
      userId: message.user_id,
      username: message.username,
      roomId: message.room_id,
      content: message.content,
      replyToId: null,
      replyToUser: null,
      sentAt: new Date(message.timestamp),
      deletedAt: null,
    };
    await chatMessagesIn(world.db).archive([{ kind: "message", doc }], new Date());
    await loseAll(stream);

    await chatter(world, stream, ["after"]);

    expect((await world.rooms.position(stream._id)).epoch).equal(epoch + 1);
    const { items } = await world.rooms.history({ streamId: stream._id, limit: 10 });
    expect(items.map(({ content }) => content)).deep.equal(["archived", "after"]);
  });
});
