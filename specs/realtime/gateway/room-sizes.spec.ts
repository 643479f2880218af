import { expect } from "chai";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import { keys } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { type GatewayWorld, openGatewayWorld, type Socket } from "./world.ts";

const ROOMS = 150;
const CHANNELS = 50;

describe("how many sockets rooms have", function () {
  this.timeout(60_000);
  let world: GatewayWorld;
  let gateway: Gateway;
  /** Commands by which workers publish the sizes of their rooms, with the number of their arguments. */
  const published: { name: string; size: number }[] = [];
  before(async () => {
    world = await openGatewayWorld();
    const { redis } = world;
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = (...args: Parameters<typeof send>) => {
      const [{ name, args: parts }] = args;
      if (/^lc:\{w:.*\}:rooms$/.test(String(parts[0])))
        published.push({ name: name.toLowerCase(), size: parts.length });
      return send(...args);
    };
    gateway = await world.gateway();
  });
  after(() => world.close());

  const countOf = (streamId: string) => world.rooms.connections.count(streamId);

  /** Sockets that follow all rooms together. */
  async function follow(streamIds: readonly string[]): Promise<Socket[]> {
    const sockets: Socket[] = [];
    for (let i = 0; i < streamIds.length; i += CHANNELS) {
      const socket = world.socket(gateway, "/v1/ws");
      sockets.push(socket);
      await socket.next("hello");
      for (const streamId of streamIds.slice(i, i + CHANNELS)) {
        await socket.command("subscribe", { channel: `chat:${streamId}` });
      }
    }
    return sockets;
  }

  it("cost nothing while nobody comes or goes, and one entry when somebody does", async () => {
    const streams = await Promise.all(Array.from({ length: ROOMS }, () => world.channel()));
    const streamIds = streams.map(({ _id }) => _id);
    const [first = "", last = ""] = [streamIds[0], streamIds.at(-1)];
    await follow(streamIds);
    await eventually(async () => expect(await countOf(last)).equal(1));
    expect(published.filter(({ name }) => name === "hset").length, "writes of what came together").below(
      ROOMS,
    );

    published.length = 0;
    await eventually(() => published.length >= 2, { what: "this worker lives" });
    expect(new Set(published.map(({ name }) => name))).deep.equal(new Set(["pexpire"]));

    published.length = 0;
    const socket = world.socket(gateway, `/v1/ws/chat/${first}`);
    await eventually(async () => expect(await countOf(first)).equal(2), { withinMs: 5_000 });
    expect(published.filter(({ name }) => name === "hset")).deep.equal([{ name: "hset", size: 3 }]);
    socket.terminate();
    await eventually(async () => expect(await countOf(first)).equal(1), { withinMs: 5_000 });
  });

  it("are published anew when Redis has lost them", async () => {
    const streams = await Promise.all([world.channel(), world.channel()]);
    const streamIds = streams.map(({ _id }) => _id);
    await follow(streamIds);
    const counts = () => Promise.all(streamIds.map(countOf));
    await eventually(async () => expect(await counts()).deep.equal([1, 1]));

    await world.redis.del(...(await world.redis.zrange(keys.gateways, 0, "-1")).map(keys.roomSizes));
    expect(await counts()).deep.equal([0, 0]);

    await eventually(async () => expect(await counts()).deep.equal([1, 1]));
  });

  it("are forgotten with a worker that leaves, and with one that is silent", async () => {
    const stream = await world.channel();
    const leaving = await world.gateway();
    world.socket(leaving, `/v1/ws/chat/${stream._id}`);
    await eventually(async () => expect(await countOf(stream._id)).equal(1));
    for (const worker of await world.redis.zrange(keys.gateways, 0, "-1")) {
      expect(await world.redis.pttl(keys.roomSizes(worker))).within(1, 10_000);
    }

    await leaving.stop();

    expect(await countOf(stream._id)).equal(0);
  });
});
