import { randomInt } from "node:crypto";
import { expect } from "chai";
import { clientAddressBehind, networksFrom } from "../../../base/addresses.ts";
import { newId } from "../../../base/ids.ts";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import { type GatewayLimits, limitsByAddress } from "../../../realtime/gateway/socket/limits.ts";
import { connectRedis } from "../../../store/redis/connect.ts";
import { keys } from "../../../store/redis/keys.ts";
import { atOnce } from "../../stress/at-once.ts";
import { eventually } from "../../support/eventually.ts";
import { talker } from "../rooms/world.ts";
import { type GatewayWorld, openGatewayWorld, type Socket, textsIn } from "./world.ts";

/** Limits count in Redis, which other specs use at the same time: each spec comes from a place of its own. */
const newAddress = () => `2001:db8:${randomInt(0x10000).toString(16)}:${randomInt(0x10000).toString(16)}::1`;
const clientAddress = clientAddressBehind(networksFrom(["127.0.0.1"]));

/** Few enough that no message waits for a second, even on a busy machine. */
const AT_ONCE = 50;

describe("limits of sockets, over all workers", () => {
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld({ clientAddress });
  });
  after(() => world.close());

  const twoGateways = (limits: Partial<GatewayLimits>): Promise<[Gateway, Gateway]> => {
    const all = { limits: { ...limitsByAddress(1_000), ...limits } };
    return Promise.all([world.gateway(all), world.gateway(all)]);
  };
  const open = async (socket: Socket): Promise<Socket> => {
    await socket.next("hello");
    return socket;
  };

  it("hold for the open sockets of an address, IPv6 by its network", async () => {
    const [one, other] = await twoGateways({ socketsPerIp: 3 });
    const address = newAddress();
    const connect = (gateway: Gateway, from = address) => world.socket(gateway, "/v1/ws", { address: from });
    await open(connect(one));
    await open(connect(one, address.replace("::1", "::2")));
    const third = await open(connect(other));

    for (const gateway of [one, other]) {
      const { status, body, headers } = await connect(gateway).refusal();
      expect(status).equal(429);
      expect(body).nested.include({ code: "rate_limited", "details.bucket": "sockets_per_ip" });
      expect(headers).include({
        "ratelimit-limit": "3",
        "ratelimit-remaining": "0",
        "ratelimit-policy": '3;name="sockets_per_ip"',
        "ratelimit-reset": headers["retry-after"],
      });
    }
    await open(connect(other, newAddress()));
    third.ws.close();
    await third.ending();
    await open(connect(one));
  });

  it("hold for the open sockets of a user, from wherever", async () => {
    const [one, other] = await twoGateways({});
    const user = talker();
    const connect = (gateway: Gateway) =>
      world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(user)}`, { address: newAddress() });
    await Promise.all([...Array(10).keys()].map((i) => open(connect(i % 2 === 0 ? one : other))));

    for (const gateway of [one, other]) {
      const { status, body } = await connect(gateway).refusal();
      expect(status).equal(429);
      expect(body).nested.include({ "details.bucket": "sockets_per_user", "details.limit": 10 });
    }
    // What was refused isn't counted.
    const sockets = await world.redis.hvals(keys.socketsOf(`u:${user.userId}`));
    expect(sockets.map(Number)).deep.equal([5, 5]);
  });

  it("forget a socket that was refused after its address had counted it", async () => {
    const [one] = await twoGateways({ socketsPerIp: 1 });
    const address = newAddress();
    for (const path of ["/v1/ws?ticket=nonsense", "/v1/ws/user", `/v1/ws/chat/${newId()}`]) {
      expect((await world.socket(one, path, { address }).refusal()).status).not.equal(429);
    }
    await open(world.socket(one, "/v1/ws", { address }));
  });

  it("hold for upgrades, before anything else is looked at", async () => {
    const [one, other] = await twoGateways({ upgradesPerIp: 4 });
    const address = newAddress();
    const knock = (gateway: Gateway, path: string) => world.socket(gateway, path, { address }).refusal();
    for (const [n, gateway] of [one, other, one, other].entries()) {
      const { status, headers } = await knock(gateway, `/v1/ws/chat/${newId()}`);
      expect(status).equal(404);
      expect(headers).include({
        "ratelimit-remaining": String(3 - n),
        "ratelimit-policy": '4;w=10;name="upgrades"',
      });
    }
    const ticket = world.ticketFor(talker());

    for (const gateway of [other, one, one]) {
      const { status, body, headers } = await knock(gateway, `/v1/ws?ticket=${ticket}`);
      expect(status).equal(429);
      expect(body).nested.include({ "details.bucket": "upgrades", "details.limit": 4 });
      expect(headers).include({ "ratelimit-policy": '4;w=10;name="upgrades"', "ratelimit-remaining": "0" });
      expect(Number(headers["retry-after"])).within(1, 10);
    }
    // The ticket is still good.
    await open(world.socket(one, `/v1/ws?ticket=${ticket}`, { address: newAddress() }));
  });

  it("hold for rooms that there aren't, by paths and commands, and leave the others open", async () => {
    const [one, other] = await twoGateways({ unknownRoomsPerIp: 3 });
    const address = newAddress();
    const [stream, next] = [await world.channel(), await world.channel()];
    const refusal = (gateway: Gateway) =>
      world.socket(gateway, `/v1/ws/chat/${newId()}`, { address }).refusal();
    const socket = await open(world.socket(other, "/v1/ws", { address }));
    await socket.command("subscribe", { channel: `chat:${stream._id}` });
    expect((await refusal(one)).status).equal(404);
    expect((await refusal(other)).status).equal(404);
    expect(await socket.command("heartbeat", { stream_id: newId(), device_id: "d" })).nested.include({
      "error.code": "not_found",
    });

    const refused = await refusal(one);
    expect(refused.status).equal(429);
    expect(refused.body).nested.include({ "details.bucket": "unknown_rooms" });
    const reply = await socket.command("subscribe", { channel: `chat:${newId()}` });
    expect(reply).nested.include({ "error.details.bucket": "unknown_rooms" });
    expect(await socket.command("subscribe", { channel: `viewers:${stream._id}` })).property("data");
    await open(world.socket(one, `/v1/ws/chat/${next._id}`, { address: newAddress() }));
    expect(socket.problems).deep.equal([]);
  });

  it("go on per worker while Redis is unavailable", async () => {
    const redis = connectRedis({
      url: "redis://127.0.0.1:1",
      deadlineMs: 200,
      onError: () => undefined,
    });
    const limits = { ...limitsByAddress(1_000), socketsPerIp: 2, upgradesPerIp: 16 };
    const gateways = await Promise.all([world.gateway({ redis, limits }), world.gateway({ redis, limits })]);
    try {
      const address = newAddress();
      for (const gateway of gateways) {
        const connect = () => world.socket(gateway, "/v1/ws", { address });
        await open(connect());
        const second = await open(connect());
        expect((await connect().refusal()).body).nested.include({ "details.bucket": "sockets_per_ip" });
        second.ws.close();
        await eventually(() => gateway.stats().sockets === 1, { what: "the second's end" });
        await open(connect());
        expect((await connect().refusal()).body).nested.include({ "details.bucket": "upgrades" });
      }
    } finally {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      redis.disconnect();
    }
  });
});

describe("what replays may send", () => {
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld({ clientAddress });
  });
  after(() => world.close());

  const texts = [...Array(1_500).keys()].map((i) => `m${i} ${"x".repeat(100)}`);

  it("ends with a minute's bytes of an address, over all workers, and says so", async () => {
    const limits = { ...limitsByAddress(1_000), replayBytesPerIp: 200_000 };
    const [one, other] = await Promise.all([world.gateway({ limits }), world.gateway({ limits })]);
    const stream = await world.channel();
    await atOnce(AT_ONCE, texts, (text) => world.say(stream, talker(), text));
    const { epoch } = await world.rooms.position(stream._id);
    const [address, channel, after] = [newAddress(), `chat:${stream._id}`, `${epoch}:0`];
    const path = `/v1/ws/chat/${stream._id}?after=${after}`;

    // The first is sent a part, and what is live after it.
    const first = world.socket(one, path, { address });
    expect((await first.next("subscribed")).data).include({ recovered: true });
    expect((await first.next("room.epoch")).data).deep.equal({ epoch, continuous: false });
    await world.say(stream, talker(), "live");
    await eventually(() => textsIn(first.messages).at(-1) === "live");
    expect(textsIn(first.messages)).length.within(300, 1_000);

    // A client that comes by another worker isn't sent it all again.
    const second = world.socket(other, path, { address });
    expect((await second.next("subscribed")).data).include({ recovered: false });
    const third = world.socket(other, "/v1/ws", { address });
    const refused = await third.command("subscribe", { channel, after });
    expect(refused).nested.include({ "error.code": "rate_limited", "error.details.bucket": "replay" });
    expect(Object(refused.error?.details).retry_after_ms).within(1, 60_000);
    expect(await third.command("subscribe", { channel })).property("data");
    expect(textsIn([...second.messages, ...third.messages])).deep.equal([]);

    const elsewhere = world.socket(other, path, { address: newAddress() });
    expect((await elsewhere.next("subscribed")).data).include({ recovered: true });
    const problems = [first, second, third].flatMap((socket) => socket.problems);
    expect(problems).deep.equal([]);
  });

  it("ends with a minute's bytes of a user, wherever the user comes from", async () => {
    const limits = { ...limitsByAddress(1_000), replayBytesPerUser: 100_000 };
    const gateway = await world.gateway({ limits });
    const stream = await world.channel();
    await atOnce(AT_ONCE, texts.slice(0, 600), (text) => world.say(stream, talker(), text));
    const { epoch } = await world.rooms.position(stream._id);
    const user = talker();
    const back = () =>
      world.socket(gateway, `/v1/ws/chat/${stream._id}?after=${epoch}:0&ticket=${world.ticketFor(user)}`, {
        address: newAddress(),
      });
    const first = back();
    await first.next("room.epoch");

    expect((await back().next("subscribed")).data).include({ recovered: false });
  });

  it("ends for a user who has the log read from where it is gone, and is sent nothing", async () => {
    const limits = { ...limitsByAddress(1_000), replayBytesPerUser: 200_000 };
    const gateway = await world.gateway({ limits });
    const stream = await world.channel();
    await atOnce(AT_ONCE, texts.slice(0, 900), (text) => world.say(stream, talker(), text));
    const { epoch } = await world.rooms.position(stream._id);
    await world.redis.xtrim(keys.roomLog(stream._id), "MINID", `${epoch}-500`);
    const channel = `chat:${stream._id}`;
    const path = `/v1/ws?ticket=${world.ticketFor(talker())}`;
    const socket = world.socket(gateway, path, { address: newAddress() });

    const codes: unknown[] = [];
    for (let turn = 0; turn < 8; turn++) {
      const { error } = await socket.command("subscribe", { channel, after: `${epoch}:${turn}` });
      codes.push(error?.code ?? Object(socket.ofType("subscribed").at(-1)?.data).recovered);
      if (!error) await socket.command("unsubscribe", { channel });
    }

    expect(codes[0]).equal(false);
    expect(codes.at(-1)).equal("rate_limited");
    expect(textsIn(socket.messages)).deep.equal([]);
    expect(socket.problems).deep.equal([]);
  });

  it("leaves those alone who missed little", async () => {
    const limits = { ...limitsByAddress(1_000), replayBytesPerIp: 300_000 };
    const gateway = await world.gateway({ limits });
    const stream = await world.channel();
    const watcher = world.socket(gateway, `/v1/ws/chat/${stream._id}`, { address: newAddress() });
    await watcher.next("subscribed");
    for (const text of texts.slice(0, 10)) await world.say(stream, talker(), text);
    const { epoch } = await world.rooms.position(stream._id);
    await eventually(() => textsIn(watcher.messages).length === 10);
    const address = newAddress();

    const herd = [...Array(20)].map(() =>
      world.socket(gateway, `/v1/ws/chat/${stream._id}?after=${epoch}:0`, { address }),
    );
    await eventually(() => herd.every((socket) => textsIn(socket.messages).length === 10));

    // Nothing had to be shared with other workers.
    const network = address.replace(/::1$/, "::/64");
    expect(await world.redis.exists(keys.replayedOf(`a:${network}`))).equal(0);
  });
});
