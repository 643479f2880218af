import { expect } from "chai";
import type { TopicMessages } from "../../../contract/generated/sockets.ts";
import type { CommandMethod } from "../../../contract/wire.ts";
import { CLOSED_MS } from "../../../realtime/rooms/state/state-hash.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { keys } from "../../../store/redis/keys.ts";
import { Socket, until } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const PASSWORD = "a long phrase for specs";

/** What a moderator of a closed room is answered on a socket, by command; null: the command names no room. */
const COMMANDS: Record<CommandMethod, string | null> = {
  subscribe: "not_found",
  unsubscribe: null,
  "chat.send": "not_found",
  // Whose message it is may take it back, and content may go.
  "chat.delete": "success",
  "chat.command": "not_found",
  // Counts who is watching, and pays only while a broadcast runs.
  heartbeat: "success",
  ping: null,
};

/** Whether a topic is refused while the room is closed; null: it belongs to no room. */
const TOPICS: Record<keyof TopicMessages, string | null> = {
  connection: null,
  chat: "not_found",
  viewers: "not_found",
  user: null,
};

describe("rooms of banned and deleted accounts", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  let staff: Person;
  before(async () => {
    staff = await givenStaff(world, given).staff();
    await eventually(() => world.core.staff.isKnownStaff(staff.id));
  });
  after(() => {
    for (const { ws } of sockets) ws.terminate();
  });

  async function socketOf(person: Person | null, path = "/v1/ws"): Promise<Socket> {
    const ticket = person && (await person.api.ok("createWsTicket")).ticket;
    const query = ticket === null ? "" : `?ticket=${ticket}`;
    const socket = new Socket(`${world.baseUrl.replace(/^http/, "ws")}${path}${query}`);
    sockets.push(socket);
    return socket;
  }

  async function command(socket: Socket, method: CommandMethod, params: object): Promise<string> {
    const reply = await socket.command(method, params);
    return reply.error?.code ?? "success";
  }

  let texts = 0;
  /** The answer to a message by REST. */
  async function sent({ at }: Channel, person: Person): Promise<string> {
    world.clock.move(1_500);
    const answer = await person.api.call("sendChatMessage", {
      params: at,
      body: { content: `text ${++texts}` },
    });
    return answer.code ?? "success";
  }

  const account = ({ owner }: Channel) => ({ params: { account_id: owner.id } });
  const ban = (channel: Channel) =>
    staff.api.ok("banAccount", { ...account(channel), body: { reason: "Insults" } });
  const unban = (channel: Channel) => staff.api.ok("unbanAccount", account(channel));

  it("admits no messages from the owner's ban until it is lifted", async () => {
    const channel = await given.channel();
    const [viewer, moderator] = [await given.user(), await given.moderatorOf(channel)];
    const inRoom = await socketOf(viewer, `/v1/ws/chat/${channel.at.stream_id}`);
    await inRoom.next("subscribed");
    expect(await sent(channel, viewer)).equal("success");

    await ban(channel);

    await eventually(async () => (await sent(channel, viewer)) === "not_found", { withinMs: 2_000 });
    expect([await sent(channel, moderator), await sent(channel, staff)]).deep.equal([
      "not_found",
      "not_found",
    ]);
    const modes = await inRoom.next("chat.modes");
    expect(modes.data).include({ chat_enabled: false });
    await unban(channel);
    await eventually(async () => (await sent(channel, viewer)) === "success", { withinMs: 2_000 });
    await until(() => (inRoom.ofType("chat.modes").length === 2 ? true : null), "the chat is open again");
    expect(inRoom.problems).deep.equal([]);
  });

  it("admits no messages once its owner is deleted, until the owner comes back", async () => {
    const channel = await given.channel();
    const viewer = await given.user();
    await sent(channel, viewer);

    await channel.owner.api.ok("deleteMe", { body: { password: PASSWORD } });

    await eventually(async () => (await sent(channel, viewer)) === "not_found");
    const login = { login: channel.owner.username, password: PASSWORD };
    await world.api.with({ "x-auth-mode": "bearer" }).ok("login", { body: login });
    await eventually(async () => (await sent(channel, viewer)) === "success");
  });

  it("stays closed when its state has to be loaded again", async () => {
    const channel = await given.channel();
    const viewer = await given.user();
    await ban(channel);
    await eventually(async () => (await sent(channel, viewer)) === "not_found");

    await world.core.redis.del(keys.roomState(channel.at.stream_id));

    expect(await sent(channel, viewer)).equal("not_found");
  });

  it("stays closed to new senders once its state has expired", async () => {
    const channel = await given.channel();
    await ban(channel);
    await eventually(async () => (await sent(channel, await given.user())) === "not_found");

    world.clock.move(CLOSED_MS + 1_000);

    expect(await sent(channel, await given.user())).equal("not_found");
  });

  it("opens within minutes after an older release lifted the ban", async () => {
    const channel = await given.channel();
    await ban(channel);
    await eventually(async () => (await sent(channel, await given.user())) === "not_found");
    const active = { $set: { status: "active" as const } };
    await usersCollection.in(world.core.mongo.db).updateOne({ _id: channel.owner.id }, active);

    world.clock.move(CLOSED_MS + 1_000);

    expect(await sent(channel, await given.user())).equal("success");
  });

  it("stays closed where an older release loaded it as open", async () => {
    const channel = await given.channel();
    const [viewer, bot] = [await given.user(), await given.user()];
    const { token } = await bot.api.ok("createApiToken", { body: { name: "bot" } });
    await ban(channel);
    await eventually(async () => (await sent(channel, viewer)) === "not_found");

    await world.core.redis.hdel(keys.roomState(channel.at.stream_id), "closed");

    expect(await sent(channel, viewer)).equal("not_found");
    const body = { channel: channel.owner.username, message: "hello" };
    expect((await world.api.as({ token }).call("sendBotMessage", { body })).code).equal("not_found");
  });

  describe("on sockets", () => {
    let channel: Channel;
    let moderator: Person;
    let socket: Socket;
    let own: string;
    before(async () => {
      channel = await given.channel();
      moderator = await given.moderatorOf(channel);
      world.clock.move(1_500);
      const body = { content: "before" };
      own = (await moderator.api.ok("sendChatMessage", { params: channel.at, body })).uuid;
      socket = await socketOf(moderator);
      await socket.next("hello");
      await ban(channel);
      await eventually(async () => (await sent(channel, moderator)) === "not_found");
    });

    const paramsOf = (method: string): object => {
      const chat = `chat:${channel.at.stream_id}`;
      switch (method) {
        case "chat.send":
          return { channel: chat, content: "hello" };
        case "chat.delete":
          return { channel: chat, uuid: own };
        case "chat.command":
          return { channel: chat, command: "/slow 10" };
        case "heartbeat":
          return { stream_id: channel.at.stream_id };
        default:
          return { channel: chat };
      }
    };

    for (const method of Object.keys(COMMANDS) as CommandMethod[]) {
      const wanted = COMMANDS[method];
      if (wanted === null) continue;
      it(`answers ${method} of a moderator with ${wanted}`, async () => {
        expect(await command(socket, method, paramsOf(method))).equal(wanted);
      });
    }

    for (const [topic, wanted] of Object.entries(TOPICS)) {
      if (wanted === null) continue;
      it(`refuses viewers the topic ${topic}`, async () => {
        const name = `${topic}:${channel.at.stream_id}`;
        expect(await command(socket, "subscribe", { channel: name })).equal(wanted);
        const dedicated = await socketOf(null, `/v1/ws/${topic}/${channel.at.stream_id}`);
        expect((await dedicated.refusal()).status).equal(404);
      });
    }

    it("brings staff the room", async () => {
      const theirs = await socketOf(staff, `/v1/ws/chat/${channel.at.stream_id}`);

      expect((await theirs.next("subscribed")).data).nested.include({ "state.role": "staff" });
    });

    it("refuses the room to staff by a personal token that is about to end", async () => {
      const person = await given.user();
      const { token } = await person.api.ok("createApiToken", { body: { name: "bot" } });
      // Past the operation that ends tokens.
      const $set = { isStaff: true, twoFactorEnabledAt: new Date() };
      await usersCollection.in(world.core.mongo.db).updateOne({ _id: person.id }, { $set });
      await eventually(() => world.core.staff.isKnownStaff(person.id));
      const byToken = { ...person, token, api: world.api.as({ token }) };

      const refused = await socketOf(byToken, `/v1/ws/chat/${channel.at.stream_id}`);
      expect((await refused.refusal()).status).equal(404);
      const bySession = await socketOf(person, `/v1/ws/chat/${channel.at.stream_id}`);
      expect((await bySession.next("subscribed")).type).equal("subscribed");
    });
  });
});
