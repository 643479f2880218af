// @waits: for a MongoDB that can't be reached.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { Rooms } from "../../../realtime/rooms/rooms.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { badgeGrantsCollection } from "../../../store/mongo/chat/badge-grants.ts";
import { badgesCollection } from "../../../store/mongo/chat/badges.ts";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { eventually } from "../../support/eventually.ts";
import { mongodAddress, throughProxy } from "../../support/mongod-address.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";
import { openRoomsWorld, type RoomsWorld, type Talker, talker } from "./world.ts";

describe("An author whose lookup in MongoDB failed", function () {
  this.timeout(60_000);
  let world: RoomsWorld;
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  let mongo: Mongo;
  let rooms: Rooms;
  before(async () => {
    world = await openRoomsWorld();
    proxy = await openTcpProxy(Number(mongodAddress().port));
    mongo = await connectMongo({
      url: throughProxy(mongodAddress(), proxy.port),
      database: world.db.databaseName,
      selectionTimeoutMs: 300,
      socketTimeoutMs: 300,
      maxPoolSize: 4,
    });
    rooms = world.otherRooms({ mongo: mongo.db });
  });
  after(async () => {
    rooms.close();
    await mongo.close();
    await proxy.close();
    await world.close();
  });

  async function wearing({ userId }: Talker, { userId: channelUserId }: StreamDoc): Promise<string> {
    const [_id, now] = [newId(), new Date()];
    await badgesCollection.in(world.db).insertOne({
      _id,
      type: "channel",
      channelUserId,
      name: "friend",
      color: null,
      imageUrl: "https://livecore.example/files/x.webp",
      file: "x.webp",
      createdAt: now,
    });
    const grant = { badgeId: _id, channelUserId, userId, grantedAt: now, expiresAt: null };
    await badgeGrantsCollection.in(world.db).insertOne({ _id: now.getTime(), ...grant });
    return _id;
  }

  async function badgesOf(stream: StreamDoc, sender: Talker): Promise<string[]> {
    world.advance(1_500);
    const content = `at ${world.clock.now()}`;
    const outcome = await rooms.send({ streamId: stream._id, sender, content });
    if (!outcome.ok) throw new Error(`refused: ${outcome.code}`);
    return outcome.message.badges ?? [];
  }

  it("is looked up again once it answers", async () => {
    const [stream, author] = [await world.channel(), talker()];
    const badge = await wearing(author, stream);
    await world.db
      .collection<StreamDoc>("streams")
      .updateOne({ _id: stream._id }, { $set: { chatConfigVersion: 1 } });
    // The room is in use, with its configuration.
    await badgesOf(stream, talker());
    proxy.hold();
    // Refused until the first look-up has failed, which takes longer than a message waits.
    await eventually(async () => expect(await badgesOf(stream, author)).deep.equal([]), { withinMs: 15_000 });

    proxy.release();

    await eventually(async () => expect(await badgesOf(stream, author)).deep.equal([badge]), {
      withinMs: 15_000,
    });
  });
});
