import { expect } from "chai";
import { typedCommand } from "../../../realtime/rooms/text.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

/** What a door answered: the errors, their paths compared with the door's field; or the body of a success. */
type Answered = { code: string | null; details: unknown; body: unknown };
type Say = (by: Person, channel: Channel, text: string, nonce?: string) => Promise<Answered>;

const REFUSED = [
  {
    path: "the text's own",
    rule: "command",
    message: "must not begin with /, since it isn't a command that you can run here",
  },
];
/** Control characters, and what turns the direction of the text after it. */
const CONTROLS = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter((one) =>
  /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u.test(one),
);
const RAN = { held: false, success: true };

describe("slash commands sent as messages", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  /** `field`: where the door's request has the text. */
  const errorsOf = (details: unknown, field: string) =>
    Object(details).errors?.map(({ path, ...error }: { path: string }) => ({
      path: path === field ? "the text's own" : path,
      ...error,
    }));
  const byRest: Say = async (by, { at }, content, nonce) => {
    const sent = { content, ...(nonce === undefined ? {} : { nonce }) };
    const { code, details, body } = await by.api.call("sendChatMessage", { params: at, body: sent });
    return { code, details: errorsOf(details, "/body/content"), body };
  };
  const byBot: Say = async (by, { owner }, message, nonce) => {
    const body = { channel: owner.username, message, ...(nonce === undefined ? {} : { nonce }) };
    const answer = await by.api.call("sendBotMessage", { body });
    return { code: answer.code, details: errorsOf(answer.details, "/body/message"), body: answer.body };
  };
  const bySocket: Say = async (by, { at }, content, nonce) => {
    const { ticket } = await by.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
    sockets.push(socket);
    const params = { channel: `chat:${at.stream_id}`, content, ...(nonce === undefined ? {} : { nonce }) };
    const reply = Object(await socket.command("chat.send", params));
    socket.terminate();
    const details = errorsOf(reply.error?.details, "/params/content");
    return { code: reply.error?.code ?? null, details, body: reply.data };
  };
  const DOORS = { REST: byRest, "a bot's messages": byBot, "a socket": bySocket };

  async function withToken(person: Person, scopes: string[]): Promise<Person> {
    const { token } = await person.api.ok("createToken", { body: { name: "a bot", scopes } });
    return { ...person, api: world.api.as({ token: String(token) }) };
  }
  const actionsOf = async ({ owner, at }: Channel) =>
    (await owner.api.ok("listModerationActions", { params: at })).items.map(({ action }) => action);

  for (const [door, say] of Object.entries(DOORS)) {
    it(`gives one refusal for every slash to a credential that can't run it, by ${door}`, async () => {
      const channel = await given.channel();
      const viewer = await given.user();
      const senders: Record<string, Person> = {
        "a viewer with every scope": await withToken(viewer, [
          "chat:send",
          "chat:moderate",
          "channel:manage",
        ]),
        "an owner who may only send": await withToken(channel.owner, ["chat:send"]),
      };
      if (say !== byBot) senders["a viewer's session"] = viewer;
      const { seq } = await world.api.ok("getChatRoom", { params: channel.at });
      const TEXTS = [
        `/ban ${viewer.username}`,
        "/clear",
        "/timeout",
        "/nothing",
        "/",
        "//",
        "/shrug hi",
        "/(^o^)",
      ];
      TEXTS.push(
        " /clear",
        "\u200b/clear",
        "\u{e0000}/clear",
        "\u2800/clear",
        "／ban bob",
        "\u3000／ＢＡＮ bob",
      );

      for (const [who, sender] of Object.entries(senders)) {
        for (const text of TEXTS) {
          world.clock.move(2_000);
          const { code, details } = await say(sender, channel, text);
          expect({ code, details }, `${text} by ${who}`).deep.equal({
            code: "validation_failed",
            details: REFUSED,
          });
        }
      }

      expect((await world.api.ok("getChatRoom", { params: channel.at })).seq).equal(seq);
      expect(await actionsOf(channel)).deep.equal([]);
    });

    it(`runs a command only where the credential has the act's scopes, by ${door}`, async () => {
      const channel = await given.channel();
      const viewer = await given.user();
      const moderator = await withToken(channel.owner, ["chat:send", "chat:moderate"]);
      const owner = await withToken(channel.owner, ["chat:send", "chat:moderate", "channel:manage"]);

      const ran = await say(moderator, channel, ` /timeout @${viewer.username}, 10 minutes loud`);
      expect(ran).deep.equal({ code: null, details: undefined, body: RAN });
      for (const text of [`/mod ${viewer.username}`, "/mod", "/nothing"]) {
        const { code, details } = await say(moderator, channel, text);
        expect({ code, details }, text).deep.equal({ code: "validation_failed", details: REFUSED });
      }
      const malformed = await say(moderator, channel, `/timeout ${viewer.username} 10x`);
      expect(malformed.code).equal("validation_failed");
      expect(JSON.stringify(malformed.details)).include("1s..14d").and.include("the text's own");
      expect((await say(moderator, channel, `/ban ${channel.owner.username}`)).code).equal("self_target");
      expect((await say(owner, channel, `／vip ${viewer.username}`)).body).deep.equal(RAN);

      expect(await actionsOf(channel)).deep.equal(["vip", "timeout"]);
      const { items } = await channel.owner.api.ok("listBans", { params: channel.at });
      expect(items).deep.equal([]);
      const { items: messages } = await world.api.ok("listChatMessages", { params: channel.at });
      expect(messages).deep.equal([]);
    });

    it(`runs no command with a control of text or direction in it, by ${door}`, async () => {
      const channel = await given.channel();
      const viewer = await given.user();
      const bot = await withToken(channel.owner, ["chat:send", "chat:moderate"]);
      const sender = say === byBot ? bot : channel.owner;
      expect(CONTROLS.length).equal(65 + 9);

      for (const control of CONTROLS) {
        const { code } = await say(sender, channel, `/ban ${viewer.username} a${control}b`);
        expect(code, JSON.stringify(control)).equal("validation_failed");
        // Buckets are by the minute.
        world.clock.move(1_000);
      }

      expect(await actionsOf(channel)).deep.equal([]);
    });
  }

  it("names the field of its request when it refuses a text", async () => {
    const channel = await given.channel();
    const viewer = await given.user();
    const blank = { path: "the text's own", rule: "minLength", message: "must not be empty" };
    expect((await bySocket(viewer, channel, "\u200b")).details).deep.equal([blank]);
    const announced = { params: channel.at, body: { content: "/clear" } };
    const { details } = await channel.owner.api.call("announceInChat", announced);
    expect(errorsOf(details, "/body/content")).deep.equal(REFUSED);
    const command = { params: channel.at, body: { command: "/nothing" } };
    const unknown = await channel.owner.api.call("runChatCommand", command);
    expect(errorsOf(unknown.details, "/body/command")).nested.property("[0].path", "the text's own");
  });

  for (const [door, say] of Object.entries(DOORS))
    it(`refuses commands that exist like others when a viewer sends too many, by ${door}`, async () => {
      const channel = await given.channel();
      const viewer = await given.user();
      const sender = say === byBot ? await withToken(viewer, ["chat:send"]) : viewer;
      const origin = { ip: "192.0.2.1", userAgent: null, requestId: "spec" };
      const moderating = { streamId: channel.at.stream_id, by: viewer.id, origin };
      const text = { text: "/ban bob", path: "" };
      for (let i = 0; i < 300; i++) {
        const limited = ({ code }: { code: string }) => expect(code).equal("rate_limited");
        await world.core.moderation.ranAsCommand(moderating, text, null).catch(limited);
      }

      const codes = [];
      for (const typed of ["/ban bob", "/nothing", "/"]) codes.push((await say(sender, channel, typed)).code);
      expect(codes).deep.equal(Array(3).fill("rate_limited"));
      world.clock.move(31_000);
      expect((await say(sender, channel, "/me waves")).code).equal(null);
    });

  it("run once for each nonce, by whichever doors they are repeated", async () => {
    const channel = await given.channel();
    const viewer = await given.user();
    const owner = await withToken(channel.owner, ["chat:send", "chat:moderate", "channel:manage"]);
    const texts = ["/clear", `/timeout ${viewer.username} 10m`, "/slow 5", `/vip ${viewer.username}`];
    const answersOf = async (nonce: string, text: string) => {
      const answers: Answered[] = [];
      for (const say of Object.values(DOORS)) answers.push(await say(owner, channel, text, nonce));
      return answers;
    };

    for (const [n, text] of texts.entries()) {
      for (const { body } of await answersOf(`n${n}`, text)) expect(body, text).deep.equal(RAN);
    }
    expect(await actionsOf(channel)).deep.equal(["vip", "slow_on", "timeout", "clear"]);

    const { nonce, ...later } = { nonce: "n0", content: "said since" };
    world.clock.move(6_000);
    await channel.owner.api.ok("sendChatMessage", { params: channel.at, body: later });
    const seen = async () =>
      (await world.api.ok("listChatMessages", { params: channel.at })).items.map(({ content }) => content);
    await byRest(owner, channel, "/clear", nonce);
    expect(await seen()).deep.equal(["said since"]);

    world.clock.move(600_000);
    await byRest(owner, channel, "/clear", nonce);
    expect(await seen()).deep.equal([""]);
  });

  it("run once where repeats with one nonce come at once, and what changed nothing stays so", async () => {
    const channel = await given.channel();
    const viewer = await given.user();
    const repeats = Array.from({ length: 4 }, () => byRest(channel.owner, channel, "/clear", "once"));
    for (const { body } of await Promise.all(repeats)) expect(body).deep.equal(RAN);
    expect(await actionsOf(channel)).deep.equal(["clear"]);

    const [unban, ban] = [`/unban ${viewer.username}`, `/ban ${viewer.username}`];
    for (const text of [unban, ban]) await byRest(channel.owner, channel, text, text.replaceAll(" ", ""));
    await byRest(channel.owner, channel, unban, unban.replaceAll(" ", ""));
    expect(await actionsOf(channel)).deep.equal(["ban", "clear"]);
  });

  it("finds a slash behind every character that doesn't show", () => {
    const hidden =
      /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB\u2800\u{13441}\u{13442}\u{1D159}]/u;
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      const found = typedCommand(`${character}/clear`)?.name ?? null;
      if (character === "/") expect(found).equal("/clear");
      else expect(found, code.toString(16)).equal(hidden.test(character) ? "clear" : null);
    }
  });
});
