// @waits: for what sockets are sent.
import { expect } from "chai";
import { MongoClient } from "mongodb";
import { namesIn } from "../../../actors/chat/mentions/mentioned-names.ts";
import { createMentions } from "../../../actors/chat/mentions/mentions.ts";
import { newId } from "../../../base/ids.ts";
import type { ServerMessage } from "../../../contract/frames.ts";
import type { ChatMessage } from "../../../contract/wire.ts";
import { hasLink } from "../../../realtime/rooms/config/links.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { openStores } from "../../support/stores.ts";
import type { World } from "../../support/world.ts";

/** The shortest of many runs, ms: only these are comparable on a machine at work. */
function shortest(work: () => unknown): number {
  const times = Array.from({ length: 200 }, () => {
    const from = performance.now();
    work();
    return performance.now() - from;
  });
  return Math.min(...times);
}

describe("a message that names or answers somebody", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  async function listening(person: Person, query = ""): Promise<Socket> {
    const { ticket } = await person.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws/user?ticket=${ticket}${query}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }

  const say = (person: Person, { at }: Channel, content: string, reply_to_id?: string, nonce?: string) => {
    world.clock.move(2_000);
    return person.api.ok("sendChatMessage", {
      params: at,
      body: { content, ...(reply_to_id ? { reply_to_id } : {}), ...(nonce ? { nonce } : {}) },
    });
  };
  const mentionsOn = (socket: Socket) =>
    socket.ofType("chat.mention").map(({ data }: ServerMessage) => {
      const { kind, message } = Object(data);
      return `${kind}: ${message.content}`;
    });

  it("is published to their own sockets, once, an answer as one", async () => {
    const channel = await given.channel();
    const [author, named, stranger] = [await given.user(), await given.user(), await given.user()];
    const [socket, other] = [await listening(named), await listening(stranger)];
    const own = await say(named, channel, "a question");

    await say(
      author,
      channel,
      `hello @${named.username.toUpperCase()}, @${named.username} and @nobody_at_all`,
    );
    await say(author, channel, "that's it", own.uuid, "n1");
    await say(author, channel, "that's it", own.uuid, "n1");
    const last = await say(author, channel, `@${named.username} see above`, own.uuid);

    await eventually(() => expect(mentionsOn(socket).at(-1)).equal(`reply: ${last.content}`));
    const first = `hello @${named.username.toUpperCase()}, @${named.username} and @nobody_at_all`;
    expect(mentionsOn(socket)).deep.equal([
      `mention: ${first}`,
      "reply: that's it",
      `reply: ${last.content}`,
    ]);
    const { data } = Object(socket.ofType("chat.mention").at(-1));
    expect(data).deep.equal({ stream_id: channel.at.stream_id, kind: "reply", message: last });
    expect(mentionsOn(other)).deep.equal([]);
  });

  it("is published once a moderator lets it through, and never when it is denied", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const [author, named, answered] = [await given.user(), await given.user(), await given.user()];
    await owner.api.ok("addBlockedTerm", { params: at, body: { term: "spoiler", action: "hold" } });
    const listeners = await Promise.all([named, answered].map((one) => listening(one)));
    const own = await say(answered, channel, "a question");
    async function hold(content: string) {
      world.clock.move(2_000);
      const body = { content, reply_to_id: own.uuid };
      const answer = await author.api.call("sendChatMessage", { params: at, body });
      expect(answer.status).equal(202);
      return { params: { ...at, held_id: String(Object(answer.body).id) } };
    }
    const denied = await hold(`a spoiler for @${named.username}`);
    const approved = await hold(`another spoiler for @${named.username}`);
    await owner.api.ok("denyHeldMessage", denied);
    await world.core.mentions.idle();
    expect(listeners.map(mentionsOn)).deep.equal([[], []]);

    await owner.api.ok("approveHeldMessage", approved);

    const content = `another spoiler for @${named.username}`;
    await eventually(() =>
      expect(listeners.map(mentionsOn)).deep.equal([[`mention: ${content}`], [`reply: ${content}`]]),
    );
    const { items } = await author.api.ok("listChatMessages", { params: at });
    const { data } = Object(listeners[0]?.ofType("chat.mention")[0]);
    expect(data.message).deep.equal(items.at(-1));
    await owner.api.call("approveHeldMessage", approved);
    await world.core.mentions.idle();
    expect(listeners.map((socket) => mentionsOn(socket).length)).deep.equal([1, 1]);
  });

  it("is replayed as its room shows it by then: without its text once that was deleted, or its author banned", async () => {
    const channel = await given.channel();
    const [author, banned, named] = [await given.user(), await given.user(), await given.user()];
    const first = await listening(named);
    const { epoch, seq } = Object(first.ofType("subscribed")[0]?.data);
    const deleted = await say(author, channel, `@${named.username} a secret`);
    await say(banned, channel, `@${named.username} an insult`);
    const kept = await say(author, channel, `@${named.username} hello`);
    await eventually(() => expect(mentionsOn(first)).length(3));
    const { at, owner } = channel;
    await owner.api.ok("deleteChatMessage", { params: { ...at, uuid: deleted.uuid } });
    await owner.api.ok("banUser", { params: { ...at, user_id: banned.id } });

    const back = await listening(named, `&after=${epoch}:${seq}`);

    await eventually(() => expect(back.ofType("chat.mention")).length(3));
    const messages = back.ofType("chat.mention").map(({ data }) => Object(data).message);
    expect(messages.map(({ content, is_deleted }) => [content, is_deleted])).deep.equal([
      ["", true],
      ["", true],
      [kept.content, false],
    ]);
  });

  it("isn't published across a block, either way, nor to its author", async () => {
    const channel = await given.channel();
    const [author, blocker, blocked, witness] = [
      await given.user(),
      await given.user(),
      await given.user(),
      await given.user(),
    ];
    await blocker.api.ok("blockUser", { params: { user_id: author.id } });
    await author.api.ok("blockUser", { params: { user_id: blocked.id } });
    const ofAll = [author, blocker, blocked, witness];
    const listeners = await Promise.all(ofAll.map((one) => listening(one)));
    const answered = await say(blocker, channel, "mine");

    await say(author, channel, "an answer", answered.uuid);
    await say(author, channel, ofAll.map(({ username }) => `@${username}`).join(" "));

    await eventually(() =>
      expect(listeners.map((socket) => mentionsOn(socket).length)).deep.equal([0, 0, 0, 1]),
    );
    await world.core.mentions.idle();
    expect(listeners.map((socket) => mentionsOn(socket).length)).deep.equal([0, 0, 0, 1]);
  });

  it("speaks to at most ten, by names that stand alone", () => {
    const names = Array.from({ length: 12 }, (_one, i) => `name${i}`);
    expect(namesIn(names.map((name) => `@${name}`).join(" "))).deep.equal(names.slice(0, 10));
    expect(namesIn("mail bob@example.com, (@Ada) @ada! @x @@eve")).deep.equal(["ada"]);
  });

  const mentioned: [text: string, names: string[]][] = [
    ["＠name and ﹫other", ["name", "other"]],
    ["@na\u200bme\ufe0f", ["name"]],
    ["@ｎａｍｅ", ["name"]],
    ["你好@name你好", ["name"]],
    ["@name. @other, @third…", ["name", "other", "third"]],
    ["@name.so what, @other/@third", ["name", "other", "third"]],
    ["see example.com, @name", ["name"]],
    ["https://youtube.com/@name", []],
    ["youtube.com/@name/videos?by=@other", []],
    ["пример.онлайн/@name", []],
    ["http://@name/@other 看youtube.com/x/@name/@third。@fourth", []],
    ["youtube.com/@name @other", ["other"]],
    ["@name@host and @other@mastodon.social", []],
    ["@name.bsky.social @other.com", []],
    ["josé@name @renée", []],
    ["@ab @_name", []],
  ];
  for (const [text, names] of mentioned)
    it(`mentions ${names.join(", ") || "no user"} with "${text}"`, () =>
      expect(namesIn(text)).deep.equal(names));

  it("finds names at a small multiple of the time in which a room looks for links", () => {
    const LINKED = ["あ.い|", "a.b|", "例.c/", "@x.", "a.co.uk.", "。あ"];
    for (const hosts of LINKED.map((one) => one.repeat(350 / one.length)))
      for (const text of [`${hosts}${"@abc|".repeat(30)}`, `${hosts}@abc`.repeat(2)]) {
        const ratio = shortest(() => namesIn(text)) / shortest(() => hasLink(text));
        expect(ratio, text.slice(0, 10)).below(4);
      }
  });

  it("looks for names in no more time than a text is long", () => {
    const from = performance.now();
    for (const text of ["a.b/@abc".repeat(60), "@abc.com".repeat(60), "@".repeat(500), "@abc@".repeat(100)])
      namesIn(text);
    expect(performance.now() - from).below(1_000);
  });

  it("is published ten times a minute of one author, and sixty times of all", async () => {
    const channel = await given.channel();
    const [author, named] = [await given.user(), await given.user()];
    const socket = await listening(named);
    const note = async (from: Person, times: number) => {
      for (let i = 0; i < times; i++) {
        const message = messageOf(from, `hello @${named.username}`);
        world.core.mentions.note({ streamId: channel.at.stream_id, message, repliedToId: null });
      }
      await world.core.mentions.idle();
    };

    await note(author, 11);
    for (let i = 0; i < 6; i++) await note(await given.user(), 9);

    await eventually(() => expect(mentionsOn(socket)).length(60));
    world.clock.move(60_001);
    await note(author, 1);
    await eventually(() => expect(mentionsOn(socket)).length(61));
  });

  it("is published to nobody past ten thousand that wait, and while the database is away", async () => {
    const [author, named] = [await given.user(), await given.user()];
    const message = messageOf(author, `hello @${named.username}`);
    const mention = { streamId: newId(), message, repliedToId: null };
    const mentionsBy = (mongo: World["core"]["mongo"]) => {
      const notified: string[] = [];
      const publish: World["core"]["userEvents"]["publish"] = async (_type, recipients) =>
        void notified.push(...recipients.map(({ userId }) => userId));
      // A minute goes by between any two, so that nobody's limit is reached.
      let now = 0;
      const clock = { now: () => (now += 60_001) };
      return { notified, ...createMentions({ mongo, userEvents: { publish }, clock, log: quietLog() }) };
    };
    const { notified, note, idle } = mentionsBy(world.core.mongo);
    for (let i = 0; i < 10_002; i++) note(mention);
    await idle();
    expect([notified.length, ...new Set(notified)]).deep.equal([10_000, named.id]);
    note(mention);
    await idle();
    expect(notified.length).equal(10_001);

    const client = new MongoClient("mongodb://127.0.0.1:1", { serverSelectionTimeoutMS: 100 });
    const away = mentionsBy({ ...world.core.mongo, client, db: client.db("away") });
    away.note(mention);
    await away.idle();
    expect(away.notified).deep.equal([]);
    await client.close();
  });

  it("costs one look-up of a name, whether somebody has it or nobody", async () => {
    const stores = await openStores(world.core.mongo.db.databaseName, { monitorCommands: true });
    const looked: string[] = [];
    stores.mongo.client.on("commandStarted", ({ commandName, command }) => {
      if (commandName === "find" && command.find === "users") looked.push(...command.filter.username.$in);
    });
    const [author, named] = [await given.user(), await given.user()];
    const notified: string[] = [];
    const mentions = createMentions({
      mongo: stores.mongo,
      userEvents: {
        publish: async (_type, recipients) => void notified.push(...recipients.map(({ userId }) => userId)),
      },
      clock: world.clock,
      log: quietLog(),
    });
    try {
      for (let i = 0; i < 3; i++) {
        const content = `hello @${named.username} and @nobody_of_this_name`;
        mentions.note({ streamId: newId(), message: messageOf(author, content), repliedToId: null });
        await mentions.idle();
      }
      expect(looked).deep.equal([named.username, "nobody_of_this_name"]);
      expect(notified).deep.equal([named.id, named.id, named.id]);
    } finally {
      await stores.close();
    }
  });
});

function messageOf({ id, username }: Person, content: string): ChatMessage {
  const now = new Date();
  return {
    uuid: newId(),
    user_id: id,
    username,
    room_id: 1,
    content,
    type: "message",
    is_deleted: false,
    timestamp: now.getTime(),
    created_at: now.toISOString(),
    reply_to_id: null,
    reply_to_user: null,
    emotes: [],
    badges: [],
  };
}
