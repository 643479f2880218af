import { createServer } from "node:net";
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { limitsByAddress } from "../../../realtime/gateway/socket/limits.ts";
import { connectRedis } from "../../../store/redis/connect.ts";
import { eventually } from "../../support/eventually.ts";
import { talker } from "../rooms/world.ts";
import { expectContiguous, type GatewayWorld, openGatewayWorld, textsIn } from "./world.ts";

describe("how sockets end, and what they outlive", () => {
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld();
  });
  after(() => world.close());

  it("closes the sockets of a session that ended with 4009, and no others", async () => {
    const gateway = await world.gateway();
    const user = talker();
    const sessions = [newId(), newId(), newId()];
    const [ended, ordered, other] = sessions.map((sessionId) =>
      world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(user, { sessionId })}`),
    );
    if (!ended || !ordered || !other) throw new Error("three sockets");
    await Promise.all([ended, ordered, other].map((socket) => socket.next("hello")));
    const [first = "", second = ""] = sessions;

    world.revoke({ userId: user.userId, sessionId: first });
    const order = { type: "session.revoked", userId: user.userId, reason: "ended" } as const;
    await world.control.publish({ ...order, sessionId: second });

    expect(await ended.ending()).deep.equal({ code: 4009, reason: "session_revoked" });
    expect((await ordered.ending()).code).equal(4009);
    expect(await other.command("ping")).property("data");
    // Whose tickets were looked at before.
    for (const sessionId of [first, second]) {
      const late = world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(user, { sessionId })}`);
      expect((await late.ending()).code).equal(4009);
    }
  });

  it("closes sockets of a session that the database lost before its minute is over", async () => {
    const gateway = await world.gateway({ limits: { ...limitsByAddress(1_000), sessionCheckMs: 50 } });
    const [lost, kept] = [newId(), newId()];
    const sockets = [lost, kept].map((sessionId) =>
      world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(talker(), { sessionId })}`),
    );
    await Promise.all(sockets.map((socket) => socket.next("hello")));

    world.forget(lost, 49);

    expect(await sockets[0]?.ending()).deep.equal({ code: 4009, reason: "session_revoked" });
    expect(await sockets[1]?.command("ping")).property("data");
  });

  it("says bye with a time before it closes with 1012, and clients come back to another worker", async () => {
    const port = await freePort();
    const leaving = await world.gateway({ port });
    const stream = await world.channel();
    const socket = world.socket(leaving, `/v1/ws/chat/${stream._id}`);
    await socket.next("subscribed");
    const client = world.client({ url: `ws://127.0.0.1:${leaving.port}`, streamId: stream._id });
    await eventually(() => client.isLive);
    await world.say(stream, talker(), "before");
    await eventually(() => textsIn(client.seen).length === 1);

    // Workers share the port.
    await world.gateway({ port });
    await leaving.drain(100);
    await world.say(stream, talker(), "after");

    expect(await socket.ending()).deep.equal({ code: 1012, reason: "restart" });
    expect((await socket.next("bye")).data).property("retry_after_ms");
    await eventually(() => textsIn(client.seen).length === 2);
    expect(textsIn(client.seen)).deep.equal(["before", "after"]);
    expect(socket.problems).deep.equal([]);
  });

  it("closes a reader that stops reading with 4008, after a prefix without a gap", async () => {
    const gateway = await world.gateway({
      limits: { ...limitsByAddress(1_000), sendBufferBytes: 1024 * 1024 },
    });
    const stream = await world.channel();
    const [slow, healthy] = [1, 2].map(() => world.socket(gateway, `/v1/ws/chat/${stream._id}`));
    if (!slow || !healthy) throw new Error("two sockets");
    await Promise.all([slow.next("subscribed"), healthy.next("subscribed")]);

    slow.ws.pause();
    const plain = { category_id: null, language: null, is_mature: false, tags: [], thumbnail_url: null };
    const big = { stream_id: stream._id, name: "x".repeat(60_000), ...plain };
    let published = 0;
    // The kernel buffers megabytes of a loopback connection before uWS has to.
    while (gateway.stats().sockets === 2 && published < 400) {
      await Promise.all([1, 2].map(() => world.act(stream._id, "stream.updated", big)));
      published += 2;
      await eventually(() => healthy.ofType("stream.updated").length === published);
    }
    slow.ws.resume();

    expect((await slow.ending()).code).equal(4008);
    expectContiguous(slow.ofType("stream.updated"), 1);
    expectContiguous(healthy.ofType("stream.updated"), 1);
    expect(healthy.closed).equal(null);
  }).timeout(60_000);

  it("refuses with unavailable within 250 ms while Redis is unavailable", async () => {
    const redis = connectRedis({
      url: "redis://127.0.0.1:1/0",
      deadlineMs: 200,
      onError: () => undefined,
    });
    redis.connect().catch(() => undefined);
    const rooms = world.otherRooms({ redis });
    const gateway = await world.gateway({ rooms });
    const stream = await world.channel();
    const socket = world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(talker())}`);
    await socket.next("hello");

    const began = performance.now();
    const reply = await socket.command("chat.send", { channel: `chat:${stream._id}`, content: "hi" });
    const took = performance.now() - began;

    expect(reply).nested.include({ "error.code": "unavailable" });
    expect(took).lessThan(250);
    expect(await socket.command("ping")).property("data");
    await gateway.stop();
    rooms.close();
    redis.disconnect();
  });

  it("fills what the tail missed while its connection was lost", async () => {
    const gateway = await world.gateway();
    const stream = await world.channel();
    const socket = world.socket(gateway, `/v1/ws/chat/${stream._id}`);
    await socket.next("subscribed");
    for (let round = 0; round < 5; round++) {
      await killReaders();
      await world.say(stream, talker(), `after ${round}`);
    }
    await eventually(() => textsIn(socket.messages).length === 5);

    expect(textsIn(socket.messages)).deep.equal([0, 1, 2, 3, 4].map((round) => `after ${round}`));
    expectContiguous(socket.messages, 1);
  });

  /** Of this database alone: the server may be shared with other specs. */
  async function killReaders(): Promise<void> {
    const list = String(await world.redis.client("LIST"));
    const readers = list
      .split("\n")
      .filter((line) => line.includes(` db=${world.redis.options.db ?? 0} `) && line.includes(" cmd=xread "));
    for (const line of readers) await world.redis.client("KILL", "ID", /^id=(\d+)/.exec(line)?.[1] ?? "0");
  }

  it("stops twice as once, and leaves its port", async () => {
    const gateway = await world.gateway();
    await Promise.all([gateway.stop(), gateway.stop()]);
    await (await world.gateway({ port: gateway.port })).stop();
  });
});

/** Workers share a port that was named; one that the system chose stays with its first listener. */
function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer().once("error", failed);
    server.listen(0, () => {
      const address = server.address();
      const port = typeof address === "object" ? (address?.port ?? 0) : 0;
      server.close(() => found(port));
    });
  });
}
