import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { keys } from "../../../store/redis/keys.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, type Talker, talker } from "./world.ts";

describe("sending to a room", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  const send = async (streamId: string, sender: Talker, content: string, nonce?: string) =>
    world.rooms.send({ streamId, sender, content, ...(nonce === undefined ? {} : { nonce }) });
  const tryTo = async (streamId: string, sender: Talker, content: string) =>
    codeOf(await send(streamId, sender, content));

  it("numbers messages one after the other", async () => {
    const { _id } = await world.channel();

    const sent = await Promise.all([...Array(20).keys()].map((i) => send(_id, talker(), `hello ${i}`)));

    const seqs = sent.map((outcome) => (outcome.ok ? outcome.seq : 0)).sort((a, b) => a - b);
    expect(seqs).deep.equal([...Array(20).keys()].map((i) => i + 1));
    expect((await world.rooms.position(_id)).seq).equal(20);
  });

  it("gives a repeated nonce the first answer again, before limits and modes", async () => {
    const { _id, ...stream } = await world.channel();
    const sender = talker();
    const first = await send(_id, sender, "hello", "n1");
    await world.act(_id, "chat.modes", {}, [
      { kind: "modes", modes: { ...stream.modes, chatEnabled: false } },
    ]);

    const again = await send(_id, sender, "hello", "n1");
    world.advance(1_000);

    expect(again).deep.equal(first);
    expect(await tryTo(_id, sender, "something else")).equal("chat_disabled");
  });

  it("admits a nonce once when it arrives many times at once", async () => {
    const { _id } = await world.channel();
    const sender = talker();

    const sent = await Promise.all([...Array(10)].map(() => send(_id, sender, "hello", "n1")));

    expect(new Set(sent.map((outcome) => JSON.stringify(outcome)))).property("size", 1);
    expect((await world.rooms.position(_id)).seq).equal(1);
  });

  it("limits a viewer to one message a second and twenty in thirty", async () => {
    const { _id } = await world.channel();
    const sender = talker();
    await send(_id, sender, "first");

    const tooSoon = await send(_id, sender, "second");
    expect(tooSoon).deep.include({
      ok: false,
      code: "rate_limited",
      details: { retry_after_ms: 1_000, bucket: "chat", limit: 1, window_seconds: 1 },
    });

    for (let i = 1; i < 20; i++) {
      world.advance(1_000);
      expect(await tryTo(_id, sender, `message ${i}`)).equal("admitted");
    }
    world.advance(1_000);
    const tooMany = await send(_id, sender, "the 21st");
    expect(tooMany).deep.include({
      code: "rate_limited",
      details: { retry_after_ms: 10_000, bucket: "chat", limit: 20, window_seconds: 30 },
    });
    world.advance(10_000);
    expect(await tryTo(_id, sender, "the 21st")).equal("admitted");
  });

  it("lets moderators, VIPs and the owner send a hundred in thirty seconds", async () => {
    const stream = await world.channel({ slow: true, slowSeconds: 60 });
    const vip = talker();
    const roles = { streamId: stream._id, grantedBy: stream.userId, createdAt: new Date() };
    await world.grantedRoles.setRole({ ...roles, userId: vip.userId, role: "vip" });

    for (let i = 0; i < 100; i++) expect(await tryTo(stream._id, vip, `m${i}`)).equal("admitted");

    expect(await tryTo(stream._id, vip, "one more")).equal("rate_limited");
    const owner = { userId: stream.userId, username: "owner" };
    expect(await tryTo(stream._id, owner, "a")).equal("admitted");
    expect(await tryTo(stream._id, owner, "b")).equal("admitted");
  });

  it("makes viewers wait in slow mode and says how long", async () => {
    const { _id } = await world.channel({ slow: true, slowSeconds: 30 });
    const sender = talker();
    await send(_id, sender, "hello");
    world.advance(12_000);

    const refused = await send(_id, sender, "too soon");
    world.advance(18_000);

    expect(refused).deep.include({
      code: "slow_mode",
      details: { retry_after_ms: 18_000, bucket: "slow_mode", limit: 1, window_seconds: 30 },
    });
    expect(await tryTo(_id, sender, "now")).equal("admitted");
  });

  it("takes only followers of long enough standing", async () => {
    const stream = await world.channel({ followersOnly: true, followersMinutes: 10 });
    const [stranger, recent, old] = [talker(), talker(), talker()];
    const follow = (user: Talker, minutes: number) =>
      world.follow({
        id: newId(),
        followerId: user.userId,
        followingId: stream.userId,
        createdAt: new Date(world.clock.now() - minutes * 60_000),
      });
    await follow(recent, 3);
    await follow(old, 11);

    expect(await send(stream._id, stranger, "hi")).deep.include({
      code: "followers_only",
      details: { minutes: 10 },
    });
    expect(await send(stream._id, recent, "hi")).deep.include({
      code: "followers_only",
      details: { minutes: 10, retry_after_ms: 7 * 60_000 },
    });
    expect(await tryTo(stream._id, old, "hi")).equal("admitted");
    expect(await tryTo(stream._id, { userId: stream.userId, username: "owner" }, "hi all")).equal("admitted");
  });

  it("remembers who follows until it is notified that somebody doesn't any more", async () => {
    const stream = await world.channel({ followersOnly: true });
    const follower = talker();
    const pair = [follower.userId, stream.userId] as const;
    const createdAt = new Date(world.clock.now() - 1_000);
    await world.follow({ id: newId(), followerId: pair[0], followingId: pair[1], createdAt });
    expect(await tryTo(stream._id, follower, "one")).equal("admitted");

    await world.unfollow(...pair);
    world.advance(1_000);
    expect(await tryTo(stream._id, follower, "two")).equal("admitted");

    await world.rooms.forgetFollow(stream._id, follower.userId);
    world.advance(1_000);
    expect(await tryTo(stream._id, follower, "three")).equal("followers_only");
  });

  it("keeps what it knows of a room a day after its last event, however often one comes", async () => {
    const { _id } = await world.channel();
    const minTtlMs = () =>
      Promise.all([keys.roomLog(_id), keys.roomState(_id)].map((key) => world.redis.pttl(key)));
    const DAY_MS = 86_400_000;

    await send(_id, talker(), "first");
    await Promise.all(
      [keys.roomLog(_id), keys.roomState(_id)].map((key) => world.redis.pexpire(key, DAY_MS)),
    );
    world.advance(59_000);
    await send(_id, talker(), "within the minute");
    world.advance(1_000);
    await send(_id, talker(), "after it");

    for (const ttl of await minTtlMs()) expect(ttl).above(DAY_MS);
  });

  it("puts shield over the base settings", async () => {
    const { _id } = await world.channel({ shieldMode: true });

    expect(await tryTo(_id, talker(), "hi")).equal("followers_only");
    expect((await world.rooms.memberState(_id, null)).modes).deep.include({
      slow: 10,
      followers: 10,
      unique: true,
    });
  });

  for (const [content, code] of [
    ["🎉", "admitted"],
    ["👍🏽 👩‍👩‍👧 🇨🇭 1️⃣", "admitted"],
    [":wave: 🎉 :GG_2:", "emote_only"],
    ["hello 🎉", "emote_only"],
    ["123", "emote_only"],
    ["🇫🇷 🇸🇭🇮🇹", "admitted"],
    ["🇧 🇦 🇩", "emote_only"],
    ["🇧🇦🇩", "emote_only"],
    ["🇽🇽", "emote_only"],
    [": wave :", "emote_only"],
  ] as const) {
    it(`answers ${JSON.stringify(content)} in emote-only with ${code}`, async () => {
      const { _id } = await world.channel({ emoteOnly: true });
      expect(await tryTo(_id, talker(), content)).equal(code);
    });
  }

  it("refuses in unique chat what anybody sent within ten minutes", async () => {
    const { _id } = await world.channel({ uniqueChat: true });
    await send(_id, talker(), "First!");

    expect(await tryTo(_id, talker(), "  FIRST!  ")).equal("duplicate_message");
    world.advance(600_000);
    expect(await tryTo(_id, talker(), "first!")).equal("admitted");
  });

  it("refuses the same text of the same user within thirty seconds", async () => {
    const { _id } = await world.channel();
    const sender = talker();
    await send(_id, sender, "hello");
    world.advance(5_000);
    await send(_id, sender, "between");
    world.advance(5_000);

    const refused = await send(_id, sender, "hello");
    world.advance(20_000);

    expect(refused).deep.include({ code: "duplicate_message", details: { retry_after_ms: 20_000 } });
    expect(await tryTo(_id, sender, "hello")).equal("admitted");
  });

  for (const [what, appended] of [
    ["a zero-width space", "\u200b"],
    ["a tag", "\u{e0000}"],
    ["a soft hyphen", "\u00ad"],
    ["a Braille blank", "\u2800"],
    ["a variation selector", "\ufe0f"],
    ["a Hangul filler", "\u3164"],
    ["a noncharacter", "\uffff"],
    ["a joiner of marks", "\u034f"],
    ["a space", " "],
  ] as const) {
    it(`takes a text with ${what} behind it for the same text`, async () => {
      const { _id } = await world.channel();
      const { _id: unique } = await world.channel({ uniqueChat: true });
      const sender = talker();
      await send(_id, sender, "Hello");
      await send(unique, talker(), "Hello");
      world.advance(5_000);

      expect(await tryTo(_id, sender, `Hello${appended}`)).equal("duplicate_message");
      expect(await tryTo(unique, talker(), `hello${appended}`)).equal("duplicate_message");
    });
  }

  it("keeps out who is banned, and for its time who is timed out", async () => {
    const { _id } = await world.channel();
    const [banned, calm] = [talker(), talker()];
    await world.act(_id, "chat.user_banned", { user_id: banned.userId }, [
      { kind: "ban", userId: banned.userId, untilMs: null },
    ]);
    await world.act(_id, "chat.user_timed_out", { user_id: calm.userId, duration_seconds: 60 }, [
      { kind: "ban", userId: calm.userId, untilMs: world.clock.now() + 60_000 },
    ]);

    expect(await tryTo(_id, banned, "hi")).equal("banned");
    expect(await send(_id, calm, "hi")).deep.include({
      code: "timed_out",
      details: { retry_after_ms: 60_000 },
    });
    world.advance(60_000);
    expect(await tryTo(_id, calm, "hi")).equal("admitted");
    expect(await tryTo(_id, banned, "hi")).equal("banned");
    await world.act(_id, "chat.modes", {}, [{ kind: "unban", userId: banned.userId }]);
    expect(await tryTo(_id, banned, "hi")).equal("admitted");
  });

  it("fails closed: bans and modes come from the database when Redis has forgotten the room", async () => {
    const stream = await world.channel({ chatEnabled: true });
    const banned = talker();
    await world.chatBans.setBan({
      streamId: stream._id,
      userId: banned.userId,
      until: null,
      reason: null,
      by: stream.userId,
      createdAt: new Date(),
    });
    expect(await tryTo(stream._id, banned, "hi")).equal("banned");
    await world.streams.update(stream._id, { $set: { "modes.chatEnabled": false } });
    await world.redis.del(keys.roomState(stream._id));

    expect(await tryTo(stream._id, banned, "hi")).equal("banned");
    expect(await tryTo(stream._id, talker(), "hi")).equal("chat_disabled");
  });

  for (const [what, content] of [
    ["nothing", ""],
    ["blanks", "   "],
    ["501 code points", "🎉".repeat(501)],
    ["a control character", "a\u0007b"],
    ["half a surrogate pair", "a\ud800b"],
    ["nothing but what turns text", "\u202e\u2066 \u2069"],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { _id } = await world.channel();
      expect(await tryTo(_id, talker(), content)).equal("validation_failed");
    });
  }

  it("takes out what would turn the text around it, before it compares or stores anything", async () => {
    const stream = await world.channel({ uniqueChat: true });

    const sent = await send(stream._id, talker(), "\u202aone\u202c \u2066two\u2069 \u202ethree");

    expect(sent).nested.include({ ok: true, "message.content": "one two three" });
    expect(await tryTo(stream._id, talker(), "one two three\u202d")).equal("duplicate_message");
    expect(await tryTo(stream._id, talker(), "\u200fmarks stay\u200e")).equal("admitted");
  });

  it("takes 500 code points however many bytes they are", async () => {
    const { _id } = await world.channel();
    expect(await tryTo(_id, talker(), "🎉".repeat(500))).equal("admitted");
  });

  it("names whom a reply answers, and refuses a reply to nothing", async () => {
    const { _id } = await world.channel();
    const author = talker();
    const first = await send(_id, author, "anyone?");
    if (!first.ok) throw new Error(first.code);

    const reply = (replyToId: string) =>
      world.rooms.send({ streamId: _id, sender: talker(), content: "me", replyToId });

    expect(await reply(first.message.uuid)).nested.include({
      "message.reply_to_id": first.message.uuid,
      "message.reply_to_user": author.username,
    });
    expect(codeOf(await reply(newId()))).equal("not_found");
  });
});
