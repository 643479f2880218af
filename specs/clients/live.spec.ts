// @waits: for the pauses of the client.
import { expect } from "chai";
import { newId } from "../../base/ids.ts";
import {
  connectLive,
  connectRoom,
  type LiveClient,
  LivecoreError,
} from "../../clients/typescript/src/index.ts";
import { RAID_ARRIVAL_MS as RAID_ARRIVAL_OF_CLIENT_MS } from "../../clients/typescript/src/sockets/room-client.ts";
import { RAID_ARRIVAL_MS } from "../../store/mongo/raids/raids.ts";
import { type GatewayWorld, openGatewayWorld } from "../realtime/gateway/world.ts";
import { once, type Talker, talker } from "../realtime/rooms/world.ts";
import { eventually } from "../support/eventually.ts";
import { CheckedSocket } from "../support/frames/checked-socket.ts";

describe("The client, by sockets", () => {
  let world: GatewayWorld;
  let url: string;
  let clients: LiveClient[] = [];
  before(async () => {
    world = await openGatewayWorld();
    url = `ws://127.0.0.1:${(await world.gateway()).port}`;
  });
  afterEach(() => {
    for (const client of clients) client.close();
    clients = [];
  });
  after(() => world.close());

  function connect(user: Talker | null = null): LiveClient {
    const ticket = async () => (user ? world.ticketFor(user) : null);
    const client = connectLive({ url, ticket, WebSocket: CheckedSocket, baseDelayMs: 10 });
    clients.push(client);
    return client;
  }

  it("follow raids for as long as these accept arrivals", () => {
    expect(RAID_ARRIVAL_OF_CLIENT_MS).equal(RAID_ARRIVAL_MS);
  });

  it("brings each topic its own messages, by their types", async () => {
    const [one, other] = [await world.channel(), await world.channel()];
    const user = talker();
    const client = connect(user);
    const received: string[] = [];
    for (const { _id } of [one, other]) {
      client
        .subscribe(`chat:${_id}`)
        .on("chat.message", ({ data }) => received.push(`${_id} ${data.content}`));
    }
    const own = client.subscribe("user");
    own.on("points.changed", ({ data }) => received.push(`points ${data.balance}`));
    const viewers = client.subscribe(`viewers:${one._id}`);
    const counts: (number | undefined)[] = [];
    viewers.on("subscribed", ({ data }) => counts.push(data.state.viewer_count));
    await eventually(() => own.isLive && viewers.isLive);

    await client.say(one._id, "here");
    await client.say(other._id, "there");
    const data = { channel_user_id: newId(), balance: 7, delta: 7, reason: "presence", version: 1 };
    await world.userEvents.publish("points.changed", [{ userId: user.userId, data }], once());

    await eventually(() => received.length === 3);
    expect(received).have.members([`${one._id} here`, `${other._id} there`, "points 7"]);
    expect(counts).deep.equal([0]);
    expect(await client.call("ping", {})).property("server_time");
  });

  it("goes on with the next message, and the next handler, after one that throws", async () => {
    const stream = await world.channel();
    const failed: unknown[] = [];
    const client = connectLive({
      url,
      ticket: async () => world.ticketFor(talker()),
      WebSocket: CheckedSocket,
      onError: (err) => void failed.push(String(err)),
    });
    clients.push(client);
    const room = client.subscribe(`chat:${stream._id}`);
    const received: string[] = [];
    room.on("chat.message", () => {
      throw new Error("the page has a bug");
    });
    room.on("chat.message", ({ data }) => received.push(data.content));
    await eventually(() => room.isLive);

    // Those that come within 10 ms of each other share a frame.
    const speakers = ["one", "two", "three"].map((text) => ({ text, by: connect(talker()) }));
    await Promise.all(speakers.map(({ text, by }) => by.say(stream._id, text)));

    await eventually(() => received.length === 3);
    expect(failed).deep.equal(Array(3).fill("Error: the page has a bug"));
  });

  it("misses nothing and sees nothing twice through losses of its socket, in every room", async () => {
    const streams = [await world.channel(), await world.channel()];
    const watching = connect();
    const seen = streams.map(({ _id }) => {
      const texts: string[] = [];
      const room = watching.subscribe(`chat:${_id}`);
      room.on("chat.message", ({ data }) => texts.push(data.content));
      return { room, texts };
    });
    await eventually(() => seen.every(({ room }) => room.isLive));

    for (let n = 0; n < 60; n++) {
      for (const stream of streams) await world.say(stream, talker(), `m${n}`);
      if (n % 7 === 0) watching.drop();
    }

    const all = [...Array(60).keys()].map((n) => `m${n}`);
    await eventually(() => seen.every(({ texts }) => texts.length >= 60), { withinMs: 10_000 });
    for (const { texts, room } of seen) {
      expect(texts).deep.equal(all);
      expect(room.position).match(/^\d+:60$/);
    }
  });

  it("sends what was requested while its socket was gone, once", async () => {
    const stream = await world.channel();
    const client = connect(talker());
    const texts: string[] = [];
    const room = client.subscribe(`chat:${stream._id}`);
    room.on("chat.message", ({ data }) => texts.push(data.content));
    await eventually(() => room.isLive);

    client.drop();
    const sent = await client.say(stream._id, "after all");

    await eventually(() => texts.length > 0);
    expect(sent).property("seq", 1);
    expect(texts).deep.equal(["after all"]);
  });

  it("leaves a dropped socket at once, and connects without waiting when asked to", async () => {
    const stream = await world.channel();
    let lost = 0;
    const client = connectLive({
      url,
      ticket: async () => null,
      WebSocket: CheckedSocket,
      // Longer than this spec may take.
      baseDelayMs: 60_000,
      random: () => 1,
      onLost: () => void lost++,
    });
    clients.push(client);
    const room = client.subscribe(`chat:${stream._id}`);
    await eventually(() => room.isLive);

    client.drop();
    expect([lost, room.isLive]).deep.equal([1, false]);
    client.retryNow();
    await eventually(() => room.isLive);
  });

  it("asks for no ticket once it was closed while it waited", async () => {
    let tickets = 0;
    const ticket = async () => {
      tickets++;
      throw new Error("the network is away");
    };
    const client = connectLive({
      url,
      ticket,
      WebSocket: CheckedSocket,
      baseDelayMs: 60_000,
      random: () => 1,
    });
    // Its first try has failed by then.
    await new Promise(setImmediate);
    client.retryNow();
    expect(tickets).equal(2);
    await new Promise(setImmediate);
    client.close();
    client.retryNow();
    client.drop();
    client.retryNow();
    expect(tickets).equal(2);
  });

  it("sends all that waited for a socket, no faster than the service takes it", async function () {
    this.timeout(60_000);
    const client = connect();
    await client.call("ping", {});

    client.drop();
    const answers = await Promise.all(Array.from({ length: 120 }, () => client.call("ping", {})));

    expect(answers).lengthOf(120);
  });

  for (const [what, shows] of [
    ["by its WebSocket", true],
    ["where browsers show no reason", false],
  ] as const) {
    it(`gives up a room that there isn't, and says why: ${what}`, async () => {
      class Hiding extends CheckedSocket {
        override on(event: string, listener: (...args: never[]) => void): this {
          return shows || event !== "unexpected-response" ? super.on(event, listener as () => void) : this;
        }
      }
      const ended: unknown[] = [];
      const onEnd = (...end: unknown[]) => void ended.push(...end);
      const room = connectRoom({ url, streamId: newId(), WebSocket: Hiding, baseDelayMs: 5, onEnd });

      await eventually(() => ended.length > 0);

      expect(ended[0]).equal(1006);
      expect(ended[1]).instanceOf(LivecoreError).property("code", "not_found");
      expect(await room.say("is anybody here").catch((err: unknown) => String(err))).include("ended");
    });
  }

  it("tries another ticket after a refused one, and ends with the second", async () => {
    const stream = await world.channel();
    const tickets = ["made up", world.ticketFor(talker())];
    const options = { url, streamId: stream._id, WebSocket: CheckedSocket, baseDelayMs: 5 };
    const room = connectRoom({ ...options, ticket: async () => tickets.shift() ?? null });
    await eventually(() => room.isLive);
    room.close();
    const ended: unknown[] = [];
    connectRoom({ ...options, ticket: async () => "made up", onEnd: (_, why) => void ended.push(why) });

    await eventually(() => ended.length > 0);

    expect(ended[0]).instanceOf(LivecoreError).property("code", "invalid_token");
  });

  it("is notified why a topic is refused, and follows the others", async () => {
    const stream = await world.channel();
    const client = connect();
    const refused: unknown[] = [];
    for (const topic of [`chat:${newId()}`, "user"] as const) {
      client.subscribe(topic).onRefused = (error) => void refused.push(error);
    }
    const room = client.subscribe(`chat:${stream._id}`);

    await eventually(() => room.isLive && refused.length === 2);

    expect(refused.every((error) => error instanceof LivecoreError)).equal(true);
    expect(refused.map((error) => Object(error).code)).have.members(["not_found", "auth_required"]);
  });

  it("receives nothing more of a topic that it has left", async () => {
    const stream = await world.channel();
    const client = connect();
    const texts: string[] = [];
    const room = client.subscribe(`chat:${stream._id}`);
    room.on("chat.message", ({ data }) => texts.push(data.content));
    await eventually(() => room.isLive);

    room.leave();
    await client.call("ping", {});
    await world.say(stream, talker(), "not received");
    await client.call("ping", {});

    expect(texts).deep.equal([]);
    expect(client.subscribe(`chat:${stream._id}`), "another subscription").not.equal(room);
  });

  it("stays away when its session was ended, and comes back after a restart", async () => {
    const holder = { ...talker(), sessionId: newId() };
    const ended: number[] = [];
    const ticket = async () => world.ticketFor(holder, { sessionId: holder.sessionId });
    const gateway = await world.gateway();
    const options = { WebSocket: CheckedSocket, baseDelayMs: 10, random: () => 0 };
    const away = connectLive({ ...options, url, ticket, onEnd: (code) => void ended.push(code) });
    const port = gateway.port;
    const back = connectLive({
      ...options,
      url: `ws://127.0.0.1:${port}`,
      onEnd: (code) => void ended.push(code),
    });
    clients.push(away, back);
    await Promise.all([away.call("ping", {}), back.call("ping", {})]);

    world.revoke(holder);
    await eventually(() => ended.length === 1);
    await gateway.drain(0);

    expect(ended).deep.equal([4009]);
    expect(await away.call("ping", {}).catch((err: unknown) => String(err))).include("ended");
  });
});
