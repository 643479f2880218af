// @waits: for a MongoDB that hangs.
import { expect } from "chai";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import type { Rooms } from "../../../realtime/rooms/rooms.ts";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { mongodAddress, throughProxy } from "../../support/mongod-address.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";
import { talker } from "../rooms/world.ts";
import { type GatewayWorld, openGatewayWorld } from "./world.ts";

describe("commands while look-ups of members hang", function () {
  this.timeout(60_000);
  let world: GatewayWorld;
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  let mongo: Mongo;
  let rooms: Rooms;
  let gateway: Gateway;
  before(async () => {
    world = await openGatewayWorld();
    proxy = await openTcpProxy(Number(mongodAddress().port));
    mongo = await connectMongo({
      url: throughProxy(mongodAddress(), proxy.port),
      database: world.db.databaseName,
      selectionTimeoutMs: 3_000,
      maxPoolSize: 10,
    });
    rooms = world.otherRooms({ mongo: mongo.db });
    gateway = await world.gateway({ rooms });
  });
  after(async () => {
    proxy.release();
    await world.close();
    rooms.close();
    await mongo.close();
    await proxy.close();
  });

  it("answers other commands at once, and refuses messages after a second with retry_after_ms", async () => {
    const stream = await world.channel();
    const channel = `chat:${stream._id}`;
    const viewer = world.socket(gateway, `/v1/ws/chat/${stream._id}`);
    await viewer.next("subscribed");
    const sender = world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(talker())}`);
    await sender.next("hello");
    proxy.hold();

    const messages = [1, 2, 3].map((n) => sender.command("chat.send", { channel, content: `message ${n}` }));
    const pinged = await sender.command("ping");
    const waiting = sender.ofType("reply").length;
    const refused = await Promise.all(messages);

    expect(pinged).nested.property("data.server_time");
    expect(waiting, "replies before that to the ping").equal(1);
    for (const reply of refused) {
      expect(reply).nested.include({ "error.code": "unavailable" });
      expect(reply).nested.property("error.details.retry_after_ms").within(1_000, 3_000);
    }
    expect(gateway.isReady()).equal(true);
    expect(viewer.ofType("chat.message")).deep.equal([]);
    expect([...sender.problems, ...viewer.problems]).deep.equal([]);
  });
});
