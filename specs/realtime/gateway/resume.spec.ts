import { expect } from "chai";
import { keys } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { talker } from "../rooms/world.ts";
import { chatter, expectContiguous, type GatewayWorld, openGatewayWorld, textsIn } from "./world.ts";

describe("following a room", () => {
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld();
  });
  after(() => world.close());

  const numbered = (from: number, to: number) => [...Array(to - from).keys()].map((i) => `m${from + i}`);

  it("shows everybody the same order, on two workers", async () => {
    const stream = await world.channel();
    const gateways = [await world.gateway(), await world.gateway()];
    const sockets = gateways.flatMap((gateway) =>
      [1, 2].map(() => world.socket(gateway, `/v1/ws/chat/${stream._id}`)),
    );
    await Promise.all(sockets.map((socket) => socket.next("subscribed")));

    await Promise.all(
      [...Array(10).keys()].map((i) => chatter(world, stream, numbered(i * 20, i * 20 + 20))),
    );
    await eventually(() => sockets.every((socket) => socket.ofType("chat.message").length === 200));

    for (const socket of sockets) {
      expectContiguous(socket.ofType("chat.message"), 1);
      expect(textsIn(socket.messages)).deep.equal(textsIn(sockets[0]?.messages ?? []));
      expect(socket.problems).deep.equal([]);
    }
  });

  it("neither loses nor repeats anything through many losses of the socket at any moment", async () => {
    const stream = await world.channel();
    const gateway = await world.gateway();
    const clients = [...Array(5)].map(() =>
      world.client({ url: `ws://127.0.0.1:${gateway.port}`, streamId: stream._id }),
    );
    await eventually(() => clients.every((client) => client.isLive));

    const talking = chatter(world, stream, numbered(0, 400));
    let finished = false;
    void talking.finally(() => {
      finished = true;
    });
    let drops = 0;
    while (!finished) {
      for (const client of clients.filter(() => Math.random() < 0.3)) {
        client.drop();
        drops++;
      }
      await new Promise((next) => setTimeout(next, Math.random() * 15));
    }
    await talking;
    await eventually(() => clients.every((client) => textsIn(client.seen).length >= 400), {
      withinMs: 10_000,
    });

    expect(drops).greaterThan(5);
    for (const client of clients) {
      expect(textsIn(client.seen)).deep.equal(numbered(0, 400));
      expectContiguous(client.seen, 1);
    }
  });

  it("replays thousands of events that were missed, in pages", async () => {
    const stream = await world.channel();
    const gateway = await world.gateway();
    const { epoch } = await world.rooms.position(stream._id);
    for (let i = 0; i < 30; i++)
      await Promise.all(numbered(i * 50, i * 50 + 50).map((text) => chatter(world, stream, [text])));

    const client = world.client({
      url: `ws://127.0.0.1:${gateway.port}`,
      streamId: stream._id,
      after: `${epoch}:3`,
    });
    const late = talker();
    await eventually(() => client.isLive);
    await world.say(stream, late, "live");
    await eventually(() => textsIn(client.seen).at(-1) === "live");

    expectContiguous(client.seen, 4);
    expect(textsIn(client.seen)).length(1498);
    expect(client.seen[1]?.data).include({ recovered: true });
  });

  it("replays no text that was deleted meanwhile, from the ring or from the log", async () => {
    const stream = await world.channel();
    const [warm, cold] = [await world.gateway(), await world.gateway()];
    const watcher = world.socket(warm, `/v1/ws/chat/${stream._id}`);
    await watcher.next("subscribed");
    const { epoch, message } = await world.say(stream, talker(), "regretted");
    await world.act(stream._id, "chat.message_deleted", { uuid: message.uuid }, [
      { kind: "delete", uuid: message.uuid },
    ]);
    await watcher.next("chat.message_deleted");

    for (const gateway of [warm, cold]) {
      const socket = world.socket(gateway, `/v1/ws/chat/${stream._id}?after=${epoch}:0`);
      const replayed = await socket.next("chat.message");
      expect(replayed.data).deep.include({ uuid: message.uuid, content: "", is_deleted: true });
      await socket.next("chat.message_deleted");
      expectContiguous(socket.messages, 1);
      expect(socket.problems).deep.equal([]);
    }
  });

  it("says recovered: false for a position that isn't in the log", async () => {
    const stream = await world.channel();
    const gateway = await world.gateway();
    const { epoch, seq } = await world.say(stream, talker(), "hello");
    const recoveredFrom = async (after: string) => {
      const socket = world.socket(gateway, `/v1/ws/chat/${stream._id}?after=${after}`);
      return ((await socket.next("subscribed")).data as { recovered: boolean }).recovered;
    };

    expect(await recoveredFrom(`${epoch}:${seq}`)).equal(true);
    expect(await recoveredFrom(`${epoch}:0`)).equal(true);
    expect(await recoveredFrom(`${epoch}:${seq + 1}`)).equal(false);
    expect(await recoveredFrom(`${epoch - 1}:1`)).equal(false);
    expect(await recoveredFrom(`${epoch + 1}:0`)).equal(false);
  });

  it("announces a new epoch, live and in a replay", async () => {
    const stream = await world.channel();
    const gateway = await world.gateway();
    const live = world.socket(gateway, `/v1/ws/chat/${stream._id}`);
    await live.next("subscribed");
    const first = await world.say(stream, talker(), "before");
    await live.next("chat.message");
    await world.redis.hset(keys.roomState(stream._id), "run", "another-server");
    const second = await world.say(stream, talker(), "after");
    await eventually(() => textsIn(live.messages).length === 2);

    expect(live.messages.slice(2).map(({ type, seq }) => [type, seq])).deep.equal([
      ["chat.message", 1],
      ["room.epoch", undefined],
      ["chat.message", 1],
    ]);
    expect((await live.next("room.epoch")).data).deep.equal({ epoch: second.epoch, continuous: true });

    const back = world.socket(gateway, `/v1/ws/chat/${stream._id}?after=${first.epoch}:1`);
    await back.next("chat.message");
    expect(back.messages.slice(1).map(({ type }) => type)).deep.equal([
      "subscribed",
      "room.epoch",
      "chat.message",
    ]);
    expect((await back.next("subscribed")).data).include({ recovered: true });
  });

  it("says continuous: false when the log was lost with the server", async () => {
    const stream = await world.channel();
    const gateway = await world.gateway();
    const live = world.socket(gateway, `/v1/ws/chat/${stream._id}`);
    await live.next("subscribed");
    await world.say(stream, talker(), "before");
    await live.next("chat.message");
    await world.redis.del(keys.roomState(stream._id), keys.roomLog(stream._id));

    await world.say(stream, talker(), "after");

    expect((await live.next("room.epoch")).data).include({ continuous: false });
    await eventually(() => textsIn(live.messages).length === 2);
  });

  it("repeats a send that a lost connection left open, without doubling it", async () => {
    const stream = await world.channel();
    const gateway = await world.gateway();
    const sender = talker();
    const client = world.client({
      url: `ws://127.0.0.1:${gateway.port}`,
      streamId: stream._id,
      ticket: async () => world.ticketFor(sender),
    });
    await eventually(() => client.isLive);

    const sent = client.say("once");
    client.drop();
    const answer = await sent;
    await eventually(() => textsIn(client.seen).length > 0);

    expect(answer).property("seq", 1);
    expect((await world.rooms.position(stream._id)).seq).equal(1);
    expect(textsIn(client.seen)).deep.equal(["once"]);
  });
});
