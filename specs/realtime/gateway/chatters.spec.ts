import { expect } from "chai";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { keys } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { type Talker, talker } from "../rooms/world.ts";
import { type GatewayWorld, openGatewayWorld, type Socket } from "./world.ts";

describe("who is in a room", function () {
  this.timeout(60_000);
  let world: GatewayWorld;
  let one: Gateway;
  let other: Gateway;
  /** Commands that write who is there. */
  let writes = 0;
  before(async () => {
    world = await openGatewayWorld();
    const { redis } = world;
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = (...args: Parameters<typeof send>) => {
      const [{ name, args: parts }] = args;
      if (/:chatters$/.test(String(parts[0])) && /^z(add|rem)$/i.test(name)) writes++;
      return send(...args);
    };
    [one, other] = [await world.gateway(), await world.gateway()];
  });
  after(() => world.close());

  const page = ({ _id }: StreamDoc, range = { skip: 0, limit: 10 }) => world.rooms.chatters.page(_id, range);
  const ids = (...talkers: Talker[]) => talkers.map(({ userId }) => userId).sort();
  const shows = (stream: StreamDoc, ...talkers: Talker[]) =>
    eventually(async () =>
      expect(await page(stream)).deep.equal({ items: ids(...talkers), total: talkers.length }),
    );

  async function enter(at: Gateway, stream: StreamDoc, user: Talker | null): Promise<Socket> {
    const ticket = user ? `?ticket=${world.ticketFor(user)}` : "";
    const socket = world.socket(at, `/v1/ws/chat/${stream._id}${ticket}`);
    await socket.next("subscribed");
    return socket;
  }

  it("are its signed-in users, each once over all sockets and workers", async () => {
    const [stream, elsewhere] = [await world.channel(), await world.channel()];
    const [ada, bob] = [talker(), talker()];
    const sockets = [await enter(one, stream, ada), await enter(one, stream, ada)];
    const far = await enter(other, stream, ada);
    await enter(other, stream, bob);
    await enter(one, stream, null);
    await enter(one, elsewhere, talker());

    await shows(stream, ada, bob);
    const second = await page(stream, { skip: 1, limit: 1 });
    expect(second).deep.equal({ items: ids(ada, bob).slice(1), total: 2 });

    for (const socket of sockets) socket.terminate();
    await eventually(async () => {
      const here = await Promise.all(
        (await world.redis.zrange(keys.gateways, 0, "-1")).map((worker) =>
          world.redis.zlexcount(keys.roomChatters(worker), `[${stream._id} `, `(${stream._id}!`),
        ),
      );
      expect(here.sort()).deep.equal([0, 2]);
    });
    expect((await page(stream)).items).deep.equal(ids(ada, bob));
    far.terminate();
    await shows(stream, bob);
  });

  it("are written together, however many come at once and however often one does", async () => {
    const stream = await world.channel();
    await enter(one, stream, talker());
    await eventually(async () => expect((await page(stream)).total).equal(1));
    const users = Array.from({ length: 40 }, talker);
    writes = 0;

    await Promise.all(users.map((user) => enter(one, stream, user)));
    await eventually(async () => expect((await page(stream)).total).equal(41));

    expect(writes).below(20);
  });

  it("are published anew when Redis has lost them", async () => {
    const stream = await world.channel();
    const ada = talker();
    await enter(one, stream, ada);
    await shows(stream, ada);

    const workers = await world.redis.zrange(keys.gateways, 0, "-1");
    await world.redis.del(...workers.map(keys.roomChatters));

    await shows(stream, ada);
  });

  it("go with a worker that leaves, and with one that has no heartbeat", async () => {
    const stream = await world.channel();
    const [ada, bob] = [talker(), talker()];
    const leaving = await world.gateway();
    await enter(leaving, stream, ada);
    await enter(one, stream, bob);
    await shows(stream, ada, bob);

    await leaving.stop();
    await shows(stream, bob);

    // As a worker leaves them that was killed: its users are there, and nobody says that it lives.
    await world.rooms.chatters.report("dead", [{ streamId: stream._id, userId: ada.userId, isHere: true }]);
    expect((await page(stream)).items).deep.equal(ids(bob));
    expect(await world.redis.pttl(keys.roomChatters("dead"))).within(1, 10_000);
  });

  it("are found in pages also where not all of them are read", async () => {
    const stream = await world.channel();
    const users = Array.from({ length: 6_000 }, (_one, i) => ({
      streamId: stream._id,
      userId: `00000000-0000-7000-8000-${String(i).padStart(12, "0")}`,
      isHere: true,
    }));
    const [worker = ""] = await world.redis.zrange(keys.gateways, 0, "0");
    await world.rooms.chatters.report(worker, users);

    const { items, total } = await page(stream, { skip: 5_990, limit: 24 });
    expect([total, items]).deep.equal([6_000, users.slice(5_990).map(({ userId }) => userId)]);
    await world.rooms.chatters.leave(worker);
  });
});
