import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import type { Whisper } from "../../../../contract/wire.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { Socket } from "../../../realtime/gateway/world.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("whispers", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  const users = () => usersCollection.in(world.core.mongo.db);

  async function person(): Promise<Person> {
    const made = await given.user();
    await users().updateOne({ _id: made.id }, { $set: { emailVerifiedAt: new Date() } });
    return made;
  }
  const pair = async () => ({ one: await person(), other: await person() });
  const to = ({ id }: Person) => ({ params: { user_id: id } });

  /** As after a second in which nothing was sent. */
  const rested = ({ id }: Person) => world.core.redis.del(`lc:limit:whispers:${id}`);
  const send = (from: Person, target: Person, content = "hello") =>
    from.api.call("sendWhisper", { ...to(target), body: { content } });
  async function say(from: Person, target: Person, content = "hello"): Promise<Whisper> {
    await rested(from);
    return from.api.ok("sendWhisper", { ...to(target), body: { content } });
  }
  const inbox = async ({ api }: Person) => (await api.ok("listWhisperConversations")).items;

  async function ownSocket({ api }: Person): Promise<Socket> {
    const { ticket } = await api.ok("createWsTicket");
    const url = `${world.baseUrl.replace("http", "ws")}/v1/ws/user?ticket=${ticket}`;
    const socket = new Socket(url, undefined, {});
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }

  it("are sent once for one Idempotency-Key, also at once", async () => {
    const { one, other } = await pair();
    const socket = await ownSocket(other);
    const sendKeyed = async (content: string, key: string) => {
      await rested(one);
      const headers = { "idempotency-key": key };
      return one.api.call("sendWhisper", { ...to(other), body: { content }, headers });
    };

    const answers = await Promise.all([sendKeyed("once", "k1"), sendKeyed("once", "k1")]);
    const again = await sendKeyed("once", "k1");
    const more = await sendKeyed("once", "k2");

    expect(new Set([...answers, again].map(({ body }) => Object(body).id)).size).equal(1);
    expect([...answers, again, more].map(({ status }) => status)).deep.equal([201, 201, 201, 201]);
    expect((await sendKeyed("another", "k1")).code).equal("idempotency_conflict");
    await eventually(() => expect(socket.ofType("whisper")).length(2));
    expect((await one.api.ok("listWhispers", to(other))).total).equal(2);
  });

  it("are answered again under their key when the other's account was banned meanwhile", async () => {
    const { one, other } = await pair();
    const headers = { "idempotency-key": "k" };
    const send = () => one.api.call("sendWhisper", { ...to(other), body: { content: "hi" }, headers });
    const first = await send();
    await world.core.accountBans.ban(other.id, { userId: null, origin: null });
    await rested(one);

    const again = await send();

    expect([first.status, again.status]).deep.equal([201, 201]);
    expect(Object(again.body).id).equal(Object(first.body).id);
    await rested(one);
    expect((await one.api.call("sendWhisper", { ...to(other), body: { content: "hi" } })).code).equal(
      "forbidden",
    );
  });

  it("reach both people's sockets, and are read the newest first", async () => {
    const { one, other } = await pair();
    const [mine, theirs] = [await ownSocket(one), await ownSocket(other)];

    const first = await say(one, other, "hello \u{1F44B}");
    const answer = await say(other, one, "\u202ehi");

    expect(first).include({ sender_id: one.id, recipient_id: other.id, is_read: false });
    shows("default Whisper.is_read");
    expect(answer.content).equal("hi");
    for (const socket of [mine, theirs]) {
      await eventually(() => socket.ofType("whisper").length === 2);
      expect(socket.ofType("whisper").map(({ data }) => data)).deep.equal([first, answer]);
      expect(socket.problems).deep.equal([]);
    }
    expect((await one.api.ok("listWhispers", to(other))).items).deep.equal([answer, first]);
    const page = await other.api.ok("listWhispers", { ...to(one), query: { per_page: 1, page: 2 } });
    expect(page).deep.include({ items: [first], total: 2, has_more: false });
  });

  it("are counted until they are read, by each of the two", async () => {
    const { one, other } = await pair();
    await say(one, other, "first");
    await say(one, other, "second");

    const [theirs] = await inbox(other);
    expect(theirs).deep.include({ user_id: one.id, username: one.username, unread_count: 2 });
    expect(theirs).not.have.property("avatar_url");
    expect(theirs?.last_message).include({ content: "second", is_read: false });
    expect((await inbox(one))[0]).deep.include({ user_id: other.id, unread_count: 0 });
    const imageUrl = "https://live.example/files/a.webp";
    await users().updateOne({ _id: other.id }, { $set: { imageUrl } });
    expect((await inbox(one))[0]).include({ avatar_url: imageUrl });

    await other.api.ok("readWhispers", to(one));
    await other.api.ok("readWhispers", to(one));

    expect((await inbox(other))[0]?.unread_count).equal(0);
    expect((await inbox(one))[0]?.last_message.is_read).equal(true);
    expect((await one.api.ok("listWhispers", to(other))).items.map(({ is_read }) => is_read)).deep.equal([
      true,
      true,
    ]);
    await say(one, other, "third");
    const { items } = await one.api.ok("listWhispers", to(other));
    expect(items.map(({ is_read }) => is_read)).deep.equal([false, true, true]);
  });

  it("bring their conversation to the top of the inbox, page by page", async () => {
    const me = await person();
    const others = [await person(), await person(), await person()];
    for (const other of others) {
      world.clock.move(1_000);
      await say(other, me);
    }
    world.clock.move(1_000);
    const [first] = others;
    if (!first) throw new Error("three");
    await say(me, first);

    expect((await inbox(me)).map(({ user_id }) => user_id)).deep.equal(
      [others[0], others[2], others[1]].map((other) => other?.id),
    );
    const page = await me.api.ok("listWhisperConversations", { query: { per_page: 2, page: 2 } });
    expect(page).include({ total: 3, has_more: false });
    expect(page.items.map(({ user_id }) => user_id)).deep.equal([others[1]?.id]);
  });

  it("are all there, each once and counted exactly, when both write and read at once", async () => {
    const { one, other } = await pair();
    const sent: Whisper[] = [];
    for (let round = 0; round < 6; round++) {
      await Promise.all([rested(one), rested(other)]);
      const [a, b, c, d] = await Promise.all([
        one.api.ok("sendWhisper", { ...to(other), body: { content: `a${round}` } }),
        one.api.ok("sendWhisper", { ...to(other), body: { content: `b${round}` } }),
        other.api.ok("sendWhisper", { ...to(one), body: { content: `c${round}` } }),
        one.api.ok("sendWhisper", { ...to(other), body: { content: `d${round}` } }),
        other.api.ok("readWhispers", to(one)),
      ]);
      sent.push(a, b, c, d);
      const { items } = await other.api.ok("listWhispers", { ...to(one), query: { per_page: 100 } });
      const unread = items.filter(({ is_read, sender_id }) => sender_id === one.id && !is_read).length;
      expect((await inbox(other))[0]?.unread_count).equal(unread);
    }

    const { items, total } = await one.api.ok("listWhispers", { ...to(other), query: { per_page: 100 } });
    expect(total).equal(24);
    expect(items.map(({ id }) => id).toSorted((x, y) => x - y)).deep.equal(
      sent.map(({ id }) => id).toSorted((x, y) => x - y),
    );
    expect((await inbox(one))[0]).deep.include({ unread_count: 6 });
    expect((await inbox(one))[0]?.last_message.content).equal(items[0]?.content);
  });

  it("need a verified address of the one who writes, and somebody else who is there", async () => {
    const { one, other } = await pair();
    const unverified = await given.user();
    const banned = await person();
    await users().updateOne({ _id: banned.id }, { $set: { status: "banned" } });

    expect(await send(unverified, one)).include({ status: 403, code: "email_not_verified" });
    expect(await send(one, unverified)).include({ status: 201 });
    expect(await send(one, one)).include({ status: 400, code: "self_target" });
    expect(await send(one, { ...other, id: newId() })).include({ status: 404, code: "not_found" });
    expect(await send(one, banned)).include({ status: 403, code: "forbidden" });
    for (const operation of ["listWhispers", "readWhispers"] as const) {
      expect(await one.api.call(operation, to(one))).include({ code: "self_target" });
      expect(await one.api.call(operation, { params: { user_id: newId() } })).include({ code: "not_found" });
    }
    for (const content of ["", "  ", "a\u0000b", "x".repeat(501), "\u{1F600}".repeat(501)])
      expect(await send(one, other, content), JSON.stringify(content.slice(0, 9))).include({ status: 400 });
    await rested(one);
    expect(await send(one, other, "\u{1F600}".repeat(500))).include({ status: 201 });
  });

  it("are refused both ways by a block, which hides the conversation from the blocker", async () => {
    const { one, other } = await pair();
    await say(other, one);
    await one.api.ok("blockUser", to(other));

    expect(await send(one, other)).include({ status: 403, code: "blocked" });
    expect(await send(other, one)).include({ status: 403, code: "blocked" });
    expect(await inbox(one)).deep.equal([]);
    expect(await inbox(other)).lengthOf(1);

    await one.api.ok("unblockUser", to(other));
    expect((await inbox(one))[0]).deep.include({ user_id: other.id, unread_count: 1 });
    await say(other, one);
  });

  it("aren't begun past a block that comes at the same time", async () => {
    for (let round = 0; round < 8; round++) {
      const { one, other } = await pair();
      const [sent] = await Promise.all([send(other, one), one.api.ok("blockUser", to(other))]);
      expect(["blocked", null]).include(sent.code);
      expect(await inbox(one)).deep.equal([]);
    }
  });

  it("are three in a second, over all that somebody writes to", async () => {
    const me = await person();
    const others = await Promise.all([1, 2, 3, 4].map(person));
    await rested(me);

    const answers = await Promise.all(others.map((other) => send(me, other)));

    expect(answers.map(({ status }) => status).toSorted()).deep.equal([201, 201, 201, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.details).include({ bucket: "whispers_burst", limit: 3, window_seconds: 1 });
    expect(refused?.headers.get("retry-after")).equal("1");
  });

  it("go to forty new recipients in a day, also at once; answers aren't counted", async function () {
    this.timeout(60_000);
    const me = await person();
    const asking = await person();
    await say(asking, me);
    const others = await Promise.all(Array.from({ length: 42 }, person));
    const answers: number[] = [];
    for (let i = 0; i < others.length; i += 3) {
      await rested(me);
      const some = await Promise.all(others.slice(i, i + 3).map((other) => send(me, other)));
      answers.push(...some.map(({ status }) => status));
    }

    expect(answers.filter((status) => status === 201)).lengthOf(40);
    await rested(me);
    const known = others[answers.indexOf(201)];
    const fresh = await person();
    if (!known) throw new Error("forty");
    expect((await send(me, fresh)).details).include({ bucket: "whisper_recipients", limit: 40 });
    expect(await send(me, known)).include({ status: 201 });
    await rested(me);
    expect(await send(me, asking)).include({ status: 201 });

    world.clock.move(86_400_000);
    const again = await given.signedInAgain(me);
    expect(await send(again, fresh)).include({ status: 201 });
  });

  it("go with the account of either", async () => {
    const { one, other } = await pair();
    await say(one, other);
    await users().updateOne({ _id: one.id }, { $set: { status: "deleted" } });

    expect(await inbox(other)).deep.equal([]);
    expect(await send(other, one)).include({ code: "not_found" });
    expect(await other.api.call("listWhispers", to(one))).include({ code: "not_found" });
  });
});
