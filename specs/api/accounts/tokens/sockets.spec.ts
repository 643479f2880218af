import { expect } from "chai";
import { OPERATOR } from "../../../../base/audit.ts";
import type { Scope } from "../../../../contract/scopes.ts";
import { Socket } from "../../../realtime/gateway/world.ts";
import { movableClock } from "../../../support/clock.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("sockets opened with a personal API token", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  const sockets: Socket[] = [];

  before(async () => {
    channel = await given.channel();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  /** `within`: of its token, ms. */
  async function opened(user: Person, scopes: Scope[], path = "", within: number | null = null) {
    const expires_at = within === null ? null : new Date(clock.now() + within).toISOString();
    const { id, token } = await user.api.ok("createToken", { body: { name: "bot", scopes, expires_at } });
    const { ticket } = await world.api.with({ "x-api-key": token }).ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws${path}?ticket=${ticket}`);
    sockets.push(socket);
    return { socket, id, token };
  }

  const chat = () => `chat:${channel.stream.id}`;
  const refusalOf = async (reply: Promise<{ error?: unknown }>) => {
    const { code, details } = Object((await reply).error);
    return code === undefined ? "done" : code === "insufficient_scope" ? details.scopes : code;
  };

  it("follow what the token's scopes name", async () => {
    const user = await given.user();
    const topics: [string, Scope[]][] = [
      [chat(), ["chat:read"]],
      [`viewers:${channel.stream.id}`, ["channel:read"]],
      ["user", ["user:read", "points:read"]],
    ];
    const none = await opened(user, ["chat:send"]);
    for (const [topic, scopes] of topics) {
      expect(await refusalOf(none.socket.command("subscribe", { channel: topic }))).deep.equal(scopes);
      const { socket } = await opened(user, scopes);
      expect(await refusalOf(socket.command("subscribe", { channel: topic }))).equal("done");
      for (const [other, needed] of topics)
        if (other !== topic)
          expect(await refusalOf(socket.command("subscribe", { channel: other }))).deep.equal(needed);
    }
    expect(await refusalOf(none.socket.command("ping"))).equal("done");
    expect(await refusalOf(none.socket.command("unsubscribe", { channel: chat() }))).equal("done");
  });

  it("do what the token's scopes name", async () => {
    const [reads, sends, moderates] = await Promise.all([
      opened(channel.owner, ["chat:read"]),
      opened(channel.owner, ["chat:send"]),
      opened(channel.owner, ["chat:moderate"]),
    ]);
    const say = ({ socket }: typeof reads) =>
      refusalOf(socket.command("chat.send", { channel: chat(), content: "Hello" }));
    const remove = async ({ socket }: typeof reads, uuid: string) =>
      refusalOf(socket.command("chat.delete", { channel: chat(), uuid }));
    const watch = ({ socket }: typeof reads) =>
      refusalOf(socket.command("heartbeat", { stream_id: channel.stream.id }));

    expect(await say(sends)).equal("done");
    const { items } = await channel.owner.api.ok("listChatMessages", { params: channel.at });
    const uuid = items.at(-1)?.uuid ?? "";
    for (const one of [reads, moderates]) expect(await say(one)).deep.equal(["chat:send"]);
    for (const one of [reads, sends]) expect(await remove(one, uuid)).deep.equal(["chat:moderate"]);
    expect(await remove(moderates, uuid)).equal("done");
    // A program is no viewer.
    for (const one of [reads, sends, moderates]) expect(await watch(one)).deep.equal([]);
  });

  it("aren't opened at an address whose topic the token isn't good for, and keep their ticket", async () => {
    const user = await given.user();
    const { token } = await user.api.ok("createToken", { body: { name: "bot", scopes: ["chat:read"] } });
    const { ticket } = await world.api.with({ "x-api-key": token }).ok("createWsTicket");
    const at = (path: string) => {
      const socket = new Socket(`${world.socketUrl}/v1/ws${path}?ticket=${ticket}`);
      sockets.push(socket);
      return socket;
    };

    for (const path of ["/user", `/viewers/${channel.stream.id}`]) {
      const { status, body } = await at(path).refusal();
      expect([status, Object(body).code]).deep.equal([403, "insufficient_scope"]);
    }
    await at(`/chat/${channel.stream.id}`).next("subscribed");
  });

  it("receive events of moderation with its scope alone", async () => {
    const withoutScope = await opened(channel.owner, ["chat:read"]);
    const withScope = await opened(channel.owner, ["chat:read", "chat:moderate"]);
    for (const { socket } of [withoutScope, withScope])
      await socket.command("subscribe", { channel: chat() });
    const user_id = (await given.user()).id;

    const params = { ...channel.at, user_id };
    await channel.owner.api.ok("timeoutUser", { params, body: { duration_seconds: 60 } });

    await withScope.socket.next("mod.action");
    await withoutScope.socket.next("chat.user_timed_out");
    // It came first, so that its turn was before that of the other socket.
    expect(withoutScope.socket.ofType("mod.action")).deep.equal([]);
  });

  for (const [what, end] of Object.entries({
    "its token is deleted": async (user: Person, token_id: string) =>
      void (await user.api.call("deleteToken", { params: { token_id } })),
    "the account is banned": ({ id }: Person) => world.core.accountBans.ban(id, OPERATOR),
    "the token expires": async () => clock.move(100_000),
  })) {
    it(`end within 2 s when ${what}, on every worker`, async () => {
      const another = await world.anotherGateway();
      const user = await given.user();
      const { socket, id, token } = await opened(user, ["chat:read"], `/chat/${channel.stream.id}`, 90_000);
      const { ticket } = await world.api.with({ "x-api-key": token }).ok("createWsTicket");
      const elsewhere = new Socket(`ws://127.0.0.1:${another.port}/v1/ws?ticket=${ticket}`);
      const own = new Socket(
        `${world.socketUrl}/v1/ws?ticket=${(await user.api.ok("createWsTicket")).ticket}`,
      );
      sockets.push(elsewhere, own);
      for (const one of [socket, elsewhere, own]) await one.next("hello");

      const begun = performance.now();
      await end(user, id);

      for (const one of [socket, elsewhere]) expect(await one.ending()).include({ code: 4009 });
      expect(performance.now() - begun).below(2_000);
      if (!what.includes("banned")) expect(await refusalOf(own.command("ping"))).equal("done");
    });
  }

  it("aren't opened any more by a ticket whose token has ended", async () => {
    const user = await given.user();
    const { id, token } = await user.api.ok("createToken", { body: { name: "bot" } });
    const { ticket } = await world.api.with({ "x-api-key": token }).ok("createWsTicket");

    await user.api.ok("deleteToken", { params: { token_id: id } });

    const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
    sockets.push(socket);
    expect(Object((await socket.refusal()).body).code).equal("invalid_token");
  });
});
