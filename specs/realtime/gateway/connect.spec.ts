import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import { talker } from "../rooms/world.ts";
import { type GatewayWorld, openGatewayWorld, Socket } from "./world.ts";

describe("connecting to the gateway", () => {
  let world: GatewayWorld;
  let gateway: Gateway;
  before(async () => {
    world = await openGatewayWorld();
    gateway = await world.gateway();
  });
  after(() => world.close());

  it("takes a ticket once", async () => {
    const ticket = world.ticketFor(talker());
    const first = world.socket(gateway, `/v1/ws?ticket=${ticket}`);
    await first.next("hello");

    const second = await world.socket(gateway, `/v1/ws?ticket=${ticket}`).refusal();

    expect(second.status).equal(401);
    expect(second.body).deep.include({ code: "invalid_token" });
    expect(first.problems).deep.equal([]);
  });

  const broken = (path: string, message: string) => ({
    details: { errors: [{ path, rule: "format", message }] },
  });
  for (const [what, path, status, code, more] of [
    ["an unknown ticket", "/v1/ws?ticket=nonsense", 401, "invalid_token", {}],
    ["an empty ticket", "/v1/ws?ticket=", 401, "invalid_token", {}],
    ["the user's channel without a ticket", "/v1/ws/user", 401, "auth_required", {}],
    ["a room that doesn't exist", `/v1/ws/chat/${newId()}`, 404, "not_found", {}],
    [
      "a room that is no UUID",
      "/v1/ws/chat/lobby",
      400,
      "validation_failed",
      broken("/path/stream_id", "must be a UUID"),
    ],
    [
      "a position of another form",
      `/v1/ws/chat/${newId()}?after=x`,
      400,
      "validation_failed",
      broken("/query/after", "must be <epoch>:<seq>"),
    ],
    ["another path", "/v1/ws/other", 404, "not_found", { details: { missing: "path" } }],
  ] as const) {
    it(`refuses ${what} with ${status} ${code}`, async () => {
      const refusal = await world.socket(gateway, path).refusal();

      expect(refusal.status).equal(status);
      const { message, ...body } = Object(refusal.body);
      expect(body).deep.equal({ code, ...more });
      expect(message).match(/^[A-Z].+\.$/);
    });
  }

  it("names a refused upgrade, by the client's own id when it is harmless", async () => {
    const named = (path: string, id: string) =>
      new Socket(`ws://127.0.0.1:${gateway.port}${path}`, undefined, { "x-request-id": id }).refusal();

    for (const path of [`/v1/ws/chat/${newId()}`, "/v1/ws/other"]) {
      expect((await named(path, "abcdefgh-1")).headers["x-request-id"], path).equal("abcdefgh-1");
      expect((await named(path, "a b")).headers["x-request-id"], path).match(/^[0-9a-f-]{36}$/);
    }
  });

  it("lets a cookie session's ticket come from known pages alone", async () => {
    const from = (origin?: string) =>
      world.socket(
        gateway,
        `/v1/ws?ticket=${world.ticketFor(talker(), { viaCookie: true })}`,
        origin === undefined ? {} : { origin },
      );

    expect((await from("https://evil.example").refusal()).status).equal(403);
    expect((await from().refusal()).status).equal(403);
    await from("https://front.example").next("hello");
    await from(`http://127.0.0.1:${gateway.port}`).next("hello");
  });

  it("refuses the eleventh socket of a user", async () => {
    const user = talker();
    const connect = () => world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(user)}`);
    const ten = [...Array(10)].map(connect);
    await Promise.all(ten.map((socket) => socket.next("hello")));

    const refusal = await connect().refusal();

    expect(refusal.status).equal(429);
    expect(refusal.headers).property("retry-after");
  });

  it("says hello first, then subscribed with the room's state, to an anonymous viewer too", async () => {
    const stream = await world.channel({ slow: true, slowSeconds: 5 });
    const socket = world.socket(gateway, `/v1/ws/chat/${stream._id}`);

    const subscribed = await socket.next("subscribed");

    expect(socket.messages.map(({ type }) => type)).deep.equal(["hello", "subscribed"]);
    expect(socket.messages[0]?.data).include({ user_id: null, ping_interval: 24 });
    expect(subscribed.data).deep.include({ seq: 0, recovered: null });
    expect(subscribed.data).nested.include({ "state.modes.slow": 5, "state.role": null });
    expect(
      await socket.command("chat.send", { channel: `chat:${stream._id}`, content: "hi" }),
    ).nested.include({
      "error.code": "auth_required",
    });
    expect(socket.problems).deep.equal([]);
  });

  it("sends the owner's role, and the wait of a user who just wrote in slow mode", async () => {
    const stream = await world.channel({ slow: true, slowSeconds: 60 });
    const viewer = talker();
    await world.say(stream, viewer, "hello");
    const stateOf = async (user: { userId: string; username: string }) => {
      const socket = world.socket(gateway, `/v1/ws/chat/${stream._id}?ticket=${world.ticketFor(user)}`);
      return (await socket.next("subscribed")).data as {
        state: { role: unknown; waits: { slow_ms: number } };
      };
    };

    expect((await stateOf({ userId: stream.userId, username: "owner" })).state.role).equal("owner");
    expect((await stateOf(viewer)).state.waits.slow_ms).within(50_000, 60_000);
  });
});
