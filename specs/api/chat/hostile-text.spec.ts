import { expect } from "chai";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const MARK = "\u0301";
const HTML = `<script>alert("1")</script><img src=x onerror='a()'>&lt;b&gt;</div>`;
/** As many code points as a message may have. */
const HEAP = `a${MARK.repeat(499)}`;
const TOO_MANY = MARK.repeat(10_000);
const FRAME_BYTES = 8 * 1024;

/** Null for what was done; else why not. */
type Ask = (by: Person, channel: Channel, text: string) => Promise<string | null>;

describe("Hostile text", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  async function openSocket({ api }: Person, path: string): Promise<Socket> {
    const { ticket } = await api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws${path}?ticket=${ticket}`);
    sockets.push(socket);
    await socket.next("hello");
    return socket;
  }
  const watch = (by: Person, { at }: Channel) => openSocket(by, `/chat/${at.stream_id}`);

  const say: Record<string, Ask> = {
    async REST(by, { at }, content) {
      world.clock.move(2_000);
      return (await by.api.call("sendChatMessage", { params: at, body: { content } })).code;
    },
    async "a socket"(by, { at }, content) {
      world.clock.move(2_000);
      const socket = await openSocket(by, "");
      const sent = await socket.malformed("chat.send", { channel: `chat:${at.stream_id}`, content });
      return sent.error?.code ?? null;
    },
  };
  const command: Record<string, Ask> = {
    REST: async (by, { at }, text) =>
      (await by.api.call("runChatCommand", { params: at, body: { command: text } })).code,
    async "a socket"(by, { at }, text) {
      const socket = await openSocket(by, "");
      const params = { channel: `chat:${at.stream_id}`, command: text };
      return (await socket.malformed("chat.command", params)).error?.code ?? null;
    },
  };

  for (const [door, send] of Object.entries(say)) {
    it(`is sent by ${door} as it is, heaps of marks and markup too, and shown so to everybody`, async () => {
      const channel = await given.channel();
      const author = await given.user();
      const watcher = await watch(await given.user(), channel);
      const texts = [HTML, HEAP, "\u{e0001}\u{e0061} tag", "a\ufffe\uffff", "{{7*7}} %00 ../"];

      for (const text of texts) expect(await send(author, channel, text), JSON.stringify(text)).equal(null);

      await eventually(() => watcher.ofType("chat.message").length === texts.length);
      const shown = watcher.ofType("chat.message").map(({ data }) => Object(data).content);
      expect(shown).deep.equal(texts);
      const { items } = await world.api.ok("listChatMessages", { params: channel.at });
      expect(items.map(({ content }) => content)).deep.equal(texts);
      expect(watcher.problems).deep.equal([]);
    });

    it(`that is none is refused by ${door}`, async () => {
      const channel = await given.channel();
      const author = await given.user();
      for (const text of [
        "a\ud800",
        "\udc00b",
        `${HEAP}${MARK}`,
        "\u202e\u2066",
        "\u0000",
        "a\u0085b",
        `${MARK}${MARK}`,
        "\ufffe",
      ])
        expect(await send(author, channel, text), JSON.stringify(text)).equal("validation_failed");
    });
  }

  it("of ten thousand marks is refused by REST, and as a frame ends its socket alone", async () => {
    const channel = await given.channel();
    const author = await given.user();
    const params = channel.at;
    const watcher = await watch(author, channel);

    const answer = await author.api.call("sendChatMessage", { params, body: { content: TOO_MANY } });
    expect(answer).include({ status: 400, code: "validation_failed" });
    const socket = await openSocket(author, "");
    const sent = { channel: `chat:${params.stream_id}`, content: TOO_MANY };
    socket.ws.sendMalformed(JSON.stringify({ id: 1, method: "chat.send", params: sent }));

    await socket.ending();
    expect(socket.ofType("reply")).deep.equal([]);
    expect(await watcher.command("ping")).property("data");
    expect(watcher.ofType("chat.message")).deep.equal([]);
  });

  it("fills a frame of 8 KiB to the last byte, and not one more", async () => {
    const channel = await given.channel();
    const author = await given.user();
    const content = "\u{1f600}".repeat(500);
    // Escaped, as a client may.
    const escaped = "\\ud83d\\ude00".repeat(500);
    const frame = (bytes: number) =>
      `{"id":7,"method":"chat.send","params":{"channel":"chat:${channel.at.stream_id}","content":"${escaped}"}}`.padEnd(
        bytes,
      );
    const socket = await openSocket(author, "");

    socket.ws.sendMalformed(frame(FRAME_BYTES));
    const reply = await socket.next("reply");
    expect(reply).nested.include({ id: 7, "data.message.content": content });
    socket.ws.sendMalformed(frame(FRAME_BYTES + 1));

    await socket.ending();
    expect(socket.ofType("reply").length).equal(1);
  });

  it("in bytes that are no text ends its socket", async () => {
    const socket = await openSocket(await given.user(), "");
    const bytes = Buffer.from(`{"id":1,"method":"ping","params":{"x":"\xed\xa0\x80"}}`, "latin1");

    socket.ws.sendMalformed(bytes, { asText: true });

    await socket.ending();
    expect(socket.ofType("reply").filter(({ error }) => error === undefined)).deep.equal([]);
  });

  it("asks a poll as it is, unless it turns the text around it", async () => {
    const channel = await given.channel();
    const [watcher, moderator] = [await watch(channel.owner, channel), await given.moderatorOf(channel)];
    const open = ({ api }: Person, question: string, option: string) =>
      api.call("createPoll", {
        params: channel.at,
        body: { question, options: [option, "no"], duration_sec: 60 },
      });

    for (const text of ["\u202eevil", "a\ud800", "a\u0000b", `a${MARK.repeat(60)}`, TOO_MANY]) {
      const answers = [await open(moderator, text, "yes"), await open(moderator, "why?", text)];
      const codes = answers.map(({ code }) => code);
      expect(codes, JSON.stringify(text.slice(0, 9))).deep.equal(["validation_failed", "validation_failed"]);
    }
    const opened = await open(channel.owner, `<b onclick="a()">${MARK.repeat(40)}`, `<i>${MARK.repeat(20)}`);
    expect(opened.status).equal(201);

    const { data } = Object(await watcher.next("chat.poll"));
    expect(data.question).equal(`<b onclick="a()">${MARK.repeat(40)}`);
    expect(data.options[0].text).equal(`<i>${MARK.repeat(20)}`);
    expect(watcher.problems).deep.equal([]);
  });

  it("as a term finds what it looks like, and nothing for that of which nothing is left", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const viewer = await given.user();
    const add = (term: string, is_regex = false) =>
      owner.api.call("addBlockedTerm", { params: at, body: { term, is_regex, action: "block" } });
    for (const term of ["\u202ebad", "a\udfff", "\u200b", TOO_MANY, `${HEAP}${MARK}`])
      expect((await add(term)).code, JSON.stringify(term.slice(0, 9))).equal("validation_failed");

    // Either is refused, or it is in no message.
    for (const term of [MARK.repeat(10), "\u{e0061}\u{e0062}", "\u0336"]) await add(term);
    expect((await add("<script>")).status).equal(201);
    expect((await add(HEAP)).status).equal(201);
    expect((await add("(<[a-z]+\\s+on\\w+=){1,3}", true)).status).equal(201);

    const outcome = (text: string) => say.REST?.(viewer, channel, text);
    expect(await outcome("hello")).equal(null);
    expect(await outcome(`y${MARK.repeat(3)}`)).equal(null);
    expect(await outcome(`<scr\u202eipt>alert(1)`)).equal("blocked_term");
    expect(await outcome(`< ${"x".repeat(480)}`)).equal(null);
    expect(await outcome(`<img onerror=a()>`)).equal("blocked_term");
    expect(await outcome(HEAP)).equal("blocked_term");
    const { items } = await owner.api.ok("listBlockedTerms", { params: at });
    expect(items.map(({ term }) => term)).include.members(["<script>", HEAP]);
  });

  it("is whispered as it is, and refused where it is none", async () => {
    const [one, other] = [await given.user(), await given.user()];
    const users = usersCollection.in(world.core.mongo.db);
    await users.updateOne({ _id: one.id }, { $set: { emailVerifiedAt: new Date() } });
    const receiver = await openSocket(other, "/user");
    const whisper = async (content: string) => {
      // As after a second in which nothing was sent.
      await world.core.redis.del(`lc:limit:whispers:${one.id}`);
      return one.api.call("sendWhisper", { params: { user_id: other.id }, body: { content } });
    };

    for (const text of ["a\ud800", TOO_MANY, `${HEAP}${MARK}`, "\u202e", "\u0007"])
      expect((await whisper(text)).code, JSON.stringify(text.slice(0, 9))).equal("validation_failed");
    for (const text of [HTML, HEAP]) expect((await whisper(text)).status).equal(201);

    await eventually(() => receiver.ofType("whisper").length === 2);
    expect(receiver.ofType("whisper").map(({ data }) => Object(data).content)).deep.equal([HTML, HEAP]);
    expect(receiver.problems).deep.equal([]);
  });

  for (const [door, ask] of Object.entries(command)) {
    it(`is a reason as it is, by ${door}, unless it turns the text around it`, async () => {
      const channel = await given.channel();
      const { owner, at } = channel;
      const viewer = await given.user();
      const ban = (reason: string) => ask(owner, channel, `/ban ${viewer.username} ${reason}`);
      for (const reason of ["\u202eevil", "\u2066evil", "a\ud800", "a\u0000b", `${HEAP}${MARK}`])
        expect(await ban(reason), JSON.stringify(reason.slice(0, 9))).equal("validation_failed");
      const many = await owner.api.call("runChatCommand", {
        params: at,
        body: { command: `/ban ${viewer.username} ${TOO_MANY}` },
      });
      expect(many.code).equal("validation_failed");
      expect((await owner.api.ok("listBans", { params: at })).items).deep.equal([]);

      for (const reason of [HTML, HEAP]) expect(await ban(reason), reason.slice(0, 9)).equal(null);

      const { items } = await owner.api.ok("listModerationActions", { params: at });
      expect(items.map(({ reason }) => reason)).deep.equal([HEAP, HTML]);
    });
  }
});
