// @waits: for polls that nothing comes to.
import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import { keys } from "../../../store/redis/keys.ts";
import type { Api, Success } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import type { World } from "../../support/world.ts";

type Read = Success<"listBotMessages">;

describe("Bots", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });

  async function botOf({ api }: Person, scopes = ["chat:read", "chat:send"]): Promise<Api> {
    const { token } = await api.ok("createApiToken", { body: { name: "bot", scopes } });
    return world.api.as({ token });
  }

  const read = (bot: Api, { owner }: Channel, query: Record<string, string | number> = {}): Promise<Read> =>
    bot.ok("listBotMessages", { query: { channel: owner.username, ...query }, withinMs: 30_000 });

  /** By the owner, who has no slow mode and a hundred in 30 s. */
  async function say({ owner, at }: Channel, content: string): Promise<string> {
    world.clock.move(1_000);
    return (await owner.api.ok("sendChatMessage", { params: at, body: { content } })).uuid;
  }

  async function readsOf(redis: World["core"]["redis"]): Promise<number> {
    return Number(/cmdstat_xrange:calls=(\d+)/.exec(await redis.info("commandstats"))?.[1] ?? 0);
  }

  const contentsOf = ({ items }: Read) => items.map(({ content }) => content);

  it("come with personal tokens alone, each with the scope that it needs", async () => {
    const channel = await given.channel();
    const query = { channel: channel.owner.username };
    const body = { channel: channel.owner.username, message: "hello" };
    const reader = await botOf(channel.owner, ["chat:read"]);
    const speaker = await botOf(channel.owner, ["chat:send"]);

    const answers = await Promise.all([
      channel.owner.api.call("listBotMessages", { query }),
      channel.owner.api.call("sendBotMessage", { body }),
      world.api.call("listBotMessages", { query }),
      speaker.call("listBotMessages", { query }),
      reader.call("sendBotMessage", { body }),
      reader.call("listBotMessages", { query: { channel: "nobody_here" } }),
    ]);

    expect(answers.map(({ code }) => code)).deep.equal([
      "forbidden",
      "forbidden",
      "auth_required",
      "insufficient_scope",
      "insufficient_scope",
      "not_found",
    ]);
    shows("auth.scope.chat_read", "auth.scope.chat_send");
  });

  it("say something as their user, with the rules of the room", async () => {
    const channel = await given.channel();
    const person = await given.user();
    const bot = await botOf(person);
    const { cursor } = await read(bot, channel);
    const body = { channel: channel.owner.username.toUpperCase(), message: "by a program" };

    const message = await bot.ok("sendBotMessage", { body: { ...body, nonce: "n1" } });

    expect(message).include({ content: "by a program", user_id: person.id, username: person.username });
    expect((await bot.ok("sendBotMessage", { body: { ...body, nonce: "n1" } })).uuid).equal(message.uuid);
    expect((await bot.call("sendBotMessage", { body: { ...body, message: "more" } })).code).equal(
      "rate_limited",
    );
    await channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: person.id } });
    expect((await bot.call("sendBotMessage", { body: { ...body, message: "more" } })).code).equal("banned");
    expect(contentsOf(await read(bot, channel, { after: cursor }))).deep.equal([""]);
    shows("bot.send");
  });

  it("of moderators may say a hundred in half a minute", async () => {
    const channel = await given.channel();
    const bot = await botOf(await given.moderatorOf(channel));
    const codes = [];
    for (let i = 0; i < 101; i++) {
      const body = { channel: channel.owner.username, message: `message ${i}` };
      codes.push((await bot.call("sendBotMessage", { body })).code);
    }
    expect(codes.filter((code) => code === null).length).equal(100);
    expect(codes.at(-1)).equal("rate_limited");
  });

  it("begin where the room is, and go on along the cursor in pages, each message once", async () => {
    const channel = await given.channel();
    const bot = await botOf(await given.user());
    await say(channel, "before");
    const begun = await read(bot, channel);
    expect(begun.items).deep.equal([]);
    expect((await read(bot, channel, { after: begun.cursor })).items).deep.equal([]);
    for (const content of ["one", "two", "three"]) await say(channel, content);

    const first = await read(bot, channel, { after: begun.cursor, limit: 2 });
    const second = await read(bot, channel, { after: first.cursor, limit: 2 });

    expect([first, second].map(contentsOf)).deep.equal([["one", "two"], ["three"]]);
    shows("bot.read");
    expect((await read(bot, channel, { after: second.cursor })).items).deep.equal([]);
    expect(contentsOf(await read(bot, channel, { after: "0:0" }))).deep.equal([
      "before",
      "one",
      "two",
      "three",
    ]);
  });

  it("wait until a message is sent, and no longer than they wanted to", async () => {
    const channel = await given.channel();
    const bot = await botOf(await given.user());
    const { cursor } = await read(bot, channel);
    const waiting = read(bot, channel, { after: cursor, wait: 20 });
    await eventually(() => world.gateway.stats().rooms >= 1);
    // What is no message brings no answer.
    await channel.owner.api.ok("updateChatSettings", { params: channel.at, body: { unique_chat: true } });

    await say(channel, "hello");
    const page = await waiting;
    expect(contentsOf(page)).deep.equal(["hello"]);

    const begunAt = performance.now();
    const nothing = await read(bot, channel, { after: page.cursor, wait: 1 });
    expect(nothing.items).deep.equal([]);
    expect(performance.now() - begunAt).within(900, 10_000);
    // A worker follows no room for nobody.
    await eventually(() => world.gateway.stats().rooms === 0);
  });

  it("are never shown a text that was deleted", async () => {
    const channel = await given.channel();
    const bot = await botOf(await given.user());
    const { cursor } = await read(bot, channel);
    const uuid = await say(channel, "a secret");
    await say(channel, "no secret");
    await channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid } });

    const { items } = await read(bot, channel, { after: cursor });

    expect(items.map(({ content, is_deleted }) => [content, is_deleted])).deep.equal([
      ["", true],
      ["no secret", false],
    ]);
  });

  it("go on over a new epoch, waiting or not", async () => {
    const channel = await given.channel();
    const bot = await botOf(await given.user());
    await say(channel, "old");
    const { cursor } = await read(bot, channel);
    const waiting = read(bot, channel, { after: cursor, wait: 20 });
    await eventually(() => world.gateway.stats().rooms >= 1);

    await world.core.redis.del(keys.roomState(channel.at.stream_id));
    await say(channel, "new");
    const page = await waiting;
    expect(contentsOf(page)).deep.equal(["new"]);
    expect(page.cursor.split(":")[0]).not.equal(cursor.split(":")[0]);
    await say(channel, "newer");

    expect(contentsOf(await read(bot, channel, { after: cursor }))).deep.equal(["new", "newer"]);
    expect(contentsOf(await read(bot, channel, { after: page.cursor }))).deep.equal(["newer"]);
  });

  it("come back to the room with a cursor that it never had", async () => {
    const channel = await given.channel();
    const bot = await botOf(await given.user());
    await say(channel, "one");
    const { cursor } = await read(bot, channel);
    const [epoch = ""] = cursor.split(":");

    const ahead = await read(bot, channel, { after: `${epoch}:999` });
    expect(ahead).deep.equal({ items: [], cursor });
    expect(contentsOf(await read(bot, channel, { after: `${Number(epoch) + 9_999}:3` }))).deep.equal(["one"]);
  });

  it("wait once, also behind a log that has run out while the room's state goes on", async () => {
    const channel = await given.channel();
    const bot = await botOf(await given.user());
    await say(channel, "one");
    const { cursor } = await read(bot, channel);
    // What is no message is in no archive.
    await channel.owner.api.ok("updateChatSettings", { params: channel.at, body: { unique_chat: true } });
    const { redis } = world.core;
    await redis.del(keys.roomLog(channel.at.stream_id));
    const { epoch, seq } = await channel.owner.api.ok("getChatRoom", { params: channel.at });
    const before = await readsOf(redis);

    const page = await read(bot, channel, { after: cursor, wait: 2 });

    expect((await readsOf(redis)) - before, "reads of logs").below(100);
    expect(page).deep.equal({ items: [], cursor: `${epoch}:${seq}` });
  });

  it("wait twice at a time with a token, not three times, and may again when one has left", async () => {
    const channel = await given.channel();
    const { id, token } = await (await given.user()).api.ok("createApiToken", { body: { name: "bot" } });
    const bot = world.api.as({ token });
    const { cursor } = await read(bot, channel);
    const waiting = Promise.all([1, 2].map(() => read(bot, channel, { after: cursor, wait: 20 })));
    const ask = (wait: number) =>
      bot.call("listBotMessages", { query: { channel: channel.owner.username, after: cursor, wait } });
    await eventually(async () => (await world.core.redis.zcard(keys.longPollsOf(id))) === 2);

    const refused = await ask(1);
    expect(refused.code).equal("rate_limited");
    expect(refused.details).include({ bucket: "bot_polls", limit: 2 });
    expect((await ask(0)).status).equal(200);

    await say(channel, "hello");
    for (const page of await waiting) expect(contentsOf(page)).deep.equal(["hello"]);
    await eventually(async () => (await ask(1)).status === 200);
  });

  it("are in nobody's way when their client has left", async () => {
    const channel = await given.channel();
    const { token } = await (await given.user()).api.ok("createApiToken", { body: { name: "bot" } });
    const url = `${world.baseUrl}/v1/bot/messages?channel=${channel.owner.username}&wait=25`;
    const headers = { authorization: `Bearer ${token}` };
    const leaving = new AbortController();
    const gone = [1, 2].map(() => fetch(url, { headers, signal: leaving.signal }).catch(() => "left"));
    await eventually(() => world.gateway.stats().rooms >= 1);

    leaving.abort();
    await Promise.all(gone);

    await eventually(() => world.gateway.stats().rooms === 0);
    const again = await fetch(`${url.replace("wait=25", "wait=1")}`, { headers });
    expect(again.status).equal(200);
  });

  it("can't be waited for at a worker's own port", async () => {
    const { at } = await given.channel();
    const path = `/internal/rooms/${at.stream_id}/next/0:0/10`;
    for (const port of [world.gateway.port, Number(new URL(world.baseUrl).port)]) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { "x-livecore-token": "made up", "x-forwarded-for": "127.0.0.1" },
      });
      expect(answer.status).equal(404);
    }
  });

  it("lose and repeat nothing while the workers at which they wait come and go", async () => {
    const channel = await given.channel();
    const bot = await botOf(await given.user());
    let { cursor } = await read(bot, channel);
    const received: string[] = [];
    const sent: string[] = [];
    let isOver = false;

    async function follow(): Promise<void> {
      while (!isOver || received.length < sent.length) {
        const page = await read(bot, channel, { after: cursor, wait: 2, limit: 3 });
        received.push(...contentsOf(page));
        cursor = page.cursor;
      }
    }
    async function talk(): Promise<void> {
      for (let i = 0; i < 60; i++) {
        const content = `message ${i}`;
        sent.push(content);
        await say(channel, content);
      }
    }
    async function replace(): Promise<void> {
      for (let i = 0; i < 3; i++) {
        const other = await world.anotherGateway();
        await eventually(() => received.length > i * 10);
        await other.stop();
      }
    }
    const over = () => {
      isOver = true;
    };
    await Promise.all([follow(), Promise.all([talk(), replace()]).finally(over)]);

    expect(received).deep.equal(sent);
  });
});
