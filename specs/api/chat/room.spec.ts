import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import { movableClock } from "../../support/clock.ts";
import type { Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("a chat room by REST", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  type At = { stream_id: string };
  /** Two seconds apart: one message a second is the limit. */
  const say = async (person: Person, at: At, content: string, more = {}) => {
    world.clock.move(2_000);
    return person.api.ok("sendChatMessage", { params: at, body: { content, ...more } });
  };
  const tryToSay = (person: Person, at: At, content: string) => {
    world.clock.move(2_000);
    return person.api.call("sendChatMessage", { params: at, body: { content } });
  };

  it("shows everyone what it is, and each caller what they are in it", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const moderator = await given.moderatorOf(channel);

    const anonymous = await world.api.ok("getChatRoom", { params: at });

    expect(anonymous).deep.include({ stream_id: at.stream_id, role: null, restriction: null });
    expect(anonymous.modes).deep.equal({
      chat_enabled: true,
      slow: null,
      emote_only: false,
      followers_only: null,
      unique_chat: false,
      shield_mode: false,
    });
    shows("default ChatModes.chat_enabled", "default ChatModes.emote_only");
    shows("default ChatModes.unique_chat", "default ChatModes.shield_mode");
    shows("absent ChatModes.slow", "absent ChatModes.followers_only");
    expect(anonymous.seq).greaterThan(-1);
    expect((await owner.api.ok("getChatRoom", { params: at })).role).equal("owner");
    expect((await moderator.api.ok("getChatRoom", { params: at })).role).equal("moderator");
  });

  it("answers a message as everyone sees it, and keeps it in its history", async () => {
    const { at } = await given.channel();
    const viewer = await given.user();

    const sent = await say(viewer, at, "Hello there 👋");
    const reply = await say(viewer, at, "Talking to myself", { reply_to_id: sent.uuid });

    expect(sent).include({ user_id: viewer.id, username: viewer.username, content: "Hello there 👋" });
    expect(sent).include({ type: "message", is_deleted: false });
    expect(new Date(sent.timestamp).toISOString()).equal(sent.created_at);
    shows("default ChatMessage.type", "default ChatMessage.is_deleted", "chat.timestamp");
    expect(reply).include({ reply_to_id: sent.uuid, reply_to_user: viewer.username });
    const { items } = await world.api.ok("listChatMessages", { params: at });
    expect(items).deep.equal([sent, reply]);
  });

  it("shows no control of text direction that somebody wrote", async () => {
    const { at } = await given.channel();
    const viewer = await given.user();

    const sent = await say(viewer, at, "see \u202egnp.exe\u202c \u2067here\u2069");

    expect(sent.content).equal("see gnp.exe here");
    const { items } = await world.api.ok("listChatMessages", { params: at });
    expect(items.map(({ content }) => content)).deep.equal(["see gnp.exe here"]);
  });

  it("is read backwards and forwards by cursor", async () => {
    const { at } = await given.channel();
    const viewer = await given.user();
    for (const text of ["one", "two", "three", "four", "five"]) await say(viewer, at, text);
    const read = (query: Record<string, string | number>) =>
      world.api.ok("listChatMessages", { params: at, query: { limit: 2, ...query } });
    const texts = (page: { items: { content: string }[] }) => page.items.map((item) => item.content);

    const newest = await read({});
    const before = await read({ before: newest.before_cursor ?? "" });
    const after = await read({ after: before.after_cursor ?? "" });
    const oldest = await read({ before: before.before_cursor ?? "" });

    expect(texts(newest)).deep.equal(["four", "five"]);
    expect(texts(before)).deep.equal(["two", "three"]);
    expect(texts(after)).deep.equal(["four", "five"]);
    expect(texts(oldest)).deep.equal(["one"]);
    expect([newest.has_more, before.has_more, after.has_more, oldest.has_more]).deep.equal([
      true,
      true,
      false,
      false,
    ]);
    const both = await world.api.call("listChatMessages", {
      params: at,
      query: { before: "1:1", after: "1:1" },
    });
    expect(both.code).equal("validation_failed");
  });

  it("gives a repeated nonce the first answer again", async () => {
    const { at } = await given.channel();
    const viewer = await given.user();

    const first = await say(viewer, at, "once", { nonce: "n1" });
    const again = await say(viewer, at, "once", { nonce: "n1" });

    expect(again).deep.equal(first);
    expect((await world.api.ok("listChatMessages", { params: at })).items).have.length(1);
  });

  it("refuses by its modes, with the reason", async () => {
    const { owner, at } = await given.channel();
    const viewer = await given.user();
    const set = (body: object) => owner.api.ok("updateChatSettings", { params: at, body });

    await set({ chat_enabled: false });
    expect((await tryToSay(viewer, at, "a")).code).equal("chat_disabled");
    await set({ chat_enabled: true, followers_only: 10 });
    const notFollowing = await tryToSay(viewer, at, "b");
    expect(notFollowing).deep.include({ status: 403, code: "followers_only" });
    expect(notFollowing.details).include({ minutes: 10 });
    await set({ followers_only: null, slow: 60 });
    await say(viewer, at, "c");
    const tooSoon = await tryToSay(viewer, at, "d");
    expect(tooSoon).include({ status: 429, code: "slow_mode" });
    expect(Number(tooSoon.headers.get("retry-after"))).within(55, 60);
    expect((await tryToSay(owner, at, "e")).status).equal(201);
  });

  it("refuses texts that are empty, too long or not for reading", async () => {
    const { at } = await given.channel();
    const viewer = await given.user();
    for (const content of ["", "   ", "x".repeat(501), "bell\u0007", 7, null]) {
      const answer = await viewer.api.call("sendChatMessage", { params: at, body: { content } });
      expect([answer.status, answer.code], JSON.stringify(content)).deep.equal([400, "validation_failed"]);
    }
    expect((await world.api.call("sendChatMessage", { params: at, body: { content: "hi" } })).status).equal(
      401,
    );
    const nowhere = { stream_id: crypto.randomUUID() };
    expect((await tryToSay(viewer, nowhere, "hi")).code).equal("not_found");
    expect((await world.api.call("listChatMessages", { params: nowhere })).code).equal("not_found");
    expect((await world.api.call("getChatRoom", { params: nowhere })).code).equal("not_found");
  });
});
