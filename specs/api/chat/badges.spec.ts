import { expect } from "chai";
import { OPERATOR } from "../../../base/audit.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import { keys } from "../../../store/redis/keys.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { image } from "../../support/images.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("badges", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  let viewer: Person;
  beforeEach(async () => {
    channel = await given.channel();
    viewer = await given.user();
  });

  let sent = 0;
  async function wornBy(person: Person, { at } = channel): Promise<string[]> {
    clock.move(1_100);
    const body = { content: `hello ${sent++}` };
    return (await person.api.ok("sendChatMessage", { params: at, body })).badges;
  }
  const addBadge = async ({ owner, at } = channel, name = "Founder") =>
    owner.api.ok("addChannelBadge", { params: at, query: { name, color: "#1f9d55" }, ...(await image()) });
  const place = (badge: { id: string }, { id: user_id } = viewer) => ({
    params: { ...channel.at, badge_id: badge.id, user_id },
  });
  const grant = (badge: { id: string }, expires_at: string | null = null, person = viewer) =>
    channel.owner.api.ok("grantChannelBadge", { ...place(badge, person), body: { expires_at } });
  const inMinutes = (minutes: number) => new Date(clock.now() + minutes * MINUTE_MS).toISOString();
  const userBadges = () => viewer.api.ok("listUserBadges", { params: { username: viewer.username } });
  const room = () => viewer.api.ok("getChatRoom", { params: channel.at });

  it("of roles are worn by everybody who has the role, and are shown with pictures of ours", async () => {
    const moderator = await given.moderatorOf(channel);
    const vip = await given.user();
    const origin = { ip: "127.0.0.1", userAgent: null, requestId: "of a spec" };
    const act = { streamId: channel.at.stream_id, by: channel.owner.id, targetId: vip.id, origin };
    await world.core.moderation.addRole(act, "vip");

    expect(await wornBy(channel.owner)).deep.equal(["owner"]);
    expect(await wornBy(moderator)).deep.equal(["moderator"]);
    expect(await wornBy(vip)).deep.equal(["vip"]);
    expect(await wornBy(viewer)).deep.equal([]);
    await world.core.moderation.removeRole(act, "vip");
    expect(await wornBy(vip)).deep.equal([]);

    const { items } = await viewer.api.ok("listBadges");
    const builtIn = items.filter(({ id }) => id.length < 36);
    expect(builtIn.map(({ id }) => id)).deep.equal([
      ...["bot", "staff", "owner", "moderator", "vip"],
      ...["subscriber-1", "subscriber-2", "subscriber-3"],
    ]);
    for (const { image_url } of builtIn) {
      const served = await fetch(`${world.baseUrl}${new URL(image_url).pathname}`);
      expect([served.status, served.headers.get("content-type")]).deep.equal([200, "image/webp"]);
    }
    expect((await room()).badges).deep.equal(items);
  });

  it("refuses a name that looks like that of a built-in or global badge", async () => {
    const add = async (name: string) => {
      const request = { params: channel.at, query: { name }, ...(await image()) };
      return (await channel.owner.api.call("addChannelBadge", request)).code;
    };
    const staff = await givenStaff(world, given).staff();
    const partner = await image();
    await staff.api.ok("addGlobalBadge", { query: { name: "Partner" }, ...partner });
    for (const name of [
      ...[
        "Staff",
        "STAFF",
        " s t a f f ",
        "St@ff!",
        "Stáff",
        "Ѕtаff",
        "Ｓｔａｆｆ",
        "Sta\u200bff",
        "ᔆᵗᵃᶠᶠ",
        "ꓢtaff",
        "Տtaff",
      ],
      ...[
        "Moderator",
        "Rnoderator",
        "M0derat0r",
        "Μoderator",
        "ΜΟDΕRΑΤΟR",
        "ᎷODERATOR",
        "VlP",
        "Broadcaster",
        "Subscriber, tier 2",
        "p-a-r-t-n-e-r",
      ],
    ])
      expect(await add(name), name).equal("badge_name_reserved");
    for (const name of [
      "Founder",
      "Staff of the month",
      "VIP lounge",
      "Subscriber for a year",
      "VIP会員",
      "Κιθάρα",
    ])
      expect(await add(name), name).equal(null);
  });

  it("mark what was sent by a program, and who can act as staff", async () => {
    const moderator = await given.moderatorOf(channel);
    const { token } = await moderator.api.ok("createApiToken", {
      body: { name: "bot", scopes: ["chat:send"] },
    });
    const bot = world.api.as({ token });
    const { ticket } = await bot.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
    const staff = await givenStaff(world, given).staff();
    const body = { channel: channel.owner.username, message: "by a program" };

    expect((await bot.ok("sendBotMessage", { body })).badges).deep.equal(["bot", "moderator"]);
    const sent = await bot.ok("sendChatMessage", {
      params: channel.at,
      body: { content: "by the room's door" },
    });
    expect(sent.badges).deep.equal(["bot", "moderator"]);
    const { data } = await socket.command("chat.send", {
      channel: `chat:${channel.at.stream_id}`,
      content: "by a socket",
    });
    socket.terminate();
    expect(data).nested.property("message.badges").deep.equal(["bot", "moderator"]);
    expect(await wornBy(moderator)).deep.equal(["moderator"]);
    expect(await wornBy(staff)).deep.equal(["staff"]);

    await world.core.staff.setStaff(staff.username, false, OPERATOR);
    await world.core.redis.del(keys.roomMember(channel.at.stream_id, staff.id));
    expect(await wornBy(staff)).deep.equal([]);
  });

  for (const [kind, isOfOne] of [
    ["a channel's embedded chat", true],
    ["all embedded chats", false],
  ] as const)
    it(`gives messages with a token of ${kind} no badge of bots`, async () => {
      const body = { site: "fans.example", ...(isOfOne ? channel.at : {}) };
      const { token } = await viewer.api.ok("createChatToken", { body });
      const embedded = world.api.as({ token });
      const { ticket } = await embedded.ok("createWsTicket");
      const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);

      const content = "by the room's door";
      const sent = await embedded.ok("sendChatMessage", { params: channel.at, body: { content } });
      expect(sent.badges).deep.equal([]);
      clock.move(1_100);
      const { data } = await socket.command("chat.send", {
        channel: `chat:${channel.at.stream_id}`,
        content: "by a socket",
      });
      socket.terminate();
      expect(data).nested.property("message.badges").deep.equal([]);
    });

  it("of a channel are worn from the message after the grant on, there alone, until the message after they are taken", async () => {
    const badge = await addBadge();
    expect(badge).include({ type: "channel", channel_id: channel.owner.id, color: "#1f9d55" });
    expect((await room()).badges).deep.include(badge);
    expect(await wornBy(viewer)).deep.equal([]);

    const granted = await grant(badge);

    expect(await wornBy(viewer)).deep.equal([badge.id]);
    expect(await wornBy(viewer, await given.channel())).deep.equal([]);
    const list = await userBadges();
    expect(list.items).deep.equal([granted]);
    expect(granted).include({ user_id: viewer.id, badge_id: badge.id, expires_at: null });
    await channel.owner.api.ok("revokeChannelBadge", place(badge));
    expect(await wornBy(viewer)).deep.equal([]);
    expect((await channel.owner.api.call("revokeChannelBadge", place(badge))).code).equal("not_found");
  });

  it("that were deleted are worn by nobody after the answer", async () => {
    const badge = await addBadge();
    await grant(badge);
    expect(await wornBy(viewer)).deep.equal([badge.id]);

    await channel.owner.api.ok("deleteChannelBadge", { params: { ...channel.at, badge_id: badge.id } });

    expect(await wornBy(viewer)).deep.equal([]);
    const list = await userBadges();
    expect(list.items).deep.equal([]);
  });

  it("expire; two minutes later they aren't worn, and a second grant sets another end", async () => {
    const badge = await addBadge();
    const first = await grant(badge, inMinutes(1));
    const second = await grant(badge, inMinutes(10));
    expect([second.id, second.granted_at]).deep.equal([first.id, first.granted_at]);
    clock.move(2 * MINUTE_MS);
    expect(await wornBy(viewer)).deep.equal([badge.id]);

    clock.move(9 * MINUTE_MS);

    const list = await userBadges();
    expect(list.items).deep.equal([]);
    // What a room knows of somebody goes by the time of the server that keeps it.
    await world.core.redis.del(keys.roomMember(channel.at.stream_id, viewer.id));
    await eventually(async () => (await wornBy(viewer)).length === 0, {
      what: "the facts are looked up anew",
    });
    const past = await channel.owner.api.call("grantChannelBadge", {
      ...place(badge),
      body: { expires_at: inMinutes(-1) },
    });
    expect(past.code).equal("validation_failed");
  });

  it("are granted by their channel's owner alone, and only there", async () => {
    const other = await given.channel();
    const badge = await addBadge();
    const params = { ...other.at, badge_id: badge.id, user_id: viewer.id };
    expect((await other.owner.api.call("grantChannelBadge", { params })).code).equal("not_found");
    const nobody = { ...channel.at, badge_id: badge.id, user_id: channel.at.stream_id };
    expect((await channel.owner.api.call("grantChannelBadge", { params: nobody })).code).equal("not_found");
    expect(await wornBy(viewer, other)).deep.equal([]);
  });

  it("are granted once, and not beside a deletion, however it is raced", async () => {
    for (let round = 0; round < 5; round++) {
      const badge = await addBadge();
      const grants = await Promise.all([grant(badge), grant(badge), grant(badge)]);
      expect(new Set(grants.map(({ id }) => id)).size).equal(1);
      const late = await given.user();
      await Promise.all([
        channel.owner.api.call("grantChannelBadge", place(badge, late)),
        channel.owner.api.ok("deleteChannelBadge", { params: { ...channel.at, badge_id: badge.id } }),
      ]);
      const left = world.core.mongo.db.collection("badge_grants").countDocuments({ badgeId: badge.id });
      expect(await left).equal(0);
    }
  });

  it("of staff are worn in every room, five granted ones at most, the newest first", async () => {
    const staff = await givenStaff(world, given).staff();
    const query = { name: "Tester", type: "special" as const };
    const special = await staff.api.ok("addGlobalBadge", { query, ...(await image()) });
    const plain = await staff.api.ok("addGlobalBadge", { query: { name: "Plain" }, ...(await image()) });
    expect(plain).include({ type: "global" });
    shows("default ChatBadge.type");
    await staff.api.ok("deleteGlobalBadge", { params: { badge_id: plain.id } });
    expect(special).include({ type: "special", channel_id: null });
    const params = { badge_id: special.id, user_id: viewer.id };
    await staff.api.ok("grantGlobalBadge", { params });
    const elsewhere = await given.channel();
    await eventually(async () => (await wornBy(viewer, elsewhere)).includes(special.id), {
      what: "the worker has staff's badges",
    });
    const own: string[] = [];
    for (let i = 0; i < 6; i++) {
      clock.move(10);
      const badge = await addBadge();
      await grant(badge);
      own.unshift(badge.id);
    }
    expect(await wornBy(viewer)).deep.equal(own.slice(0, 5));
    expect((await userBadges()).total).equal(7);

    await staff.api.ok("deleteGlobalBadge", { params: { badge_id: special.id } });
    await eventually(async () => !(await wornBy(viewer, elsewhere)).includes(special.id), {
      what: "the worker has lost it",
    });
  });

  it("are announced: to everybody that there are others, to moderators who got one", async () => {
    const { owner, at } = channel;
    const socket = new Socket(`${world.socketUrl}/v1/ws/chat/${at.stream_id}`);
    await socket.next("subscribed");
    const { ticket } = await owner.api.ok("createWsTicket");
    const moderators = new Socket(`${world.socketUrl}/v1/ws/chat/${at.stream_id}?ticket=${ticket}`);
    await moderators.next("subscribed");

    const badge = await addBadge();
    await grant(badge);

    expect((await socket.next("chat.config")).data).deep.equal({ version: 1, changed: "badges" });
    const badgeEvent = { badge_id: badge.id, user_id: viewer.id, granted: true, expires_at: null };
    expect((await moderators.next("mod.badge")).data).deep.equal(badgeEvent);
    await owner.api.ok("revokeChannelBadge", place(badge));
    await eventually(() => expect(moderators.ofType("mod.badge").at(-1)?.data).include({ granted: false }));
    expect(moderators.ofType("mod.badge").map(({ data }) => data)).deep.equal([
      badgeEvent,
      { ...badgeEvent, granted: false },
    ]);
    clock.move(1_100);
    await viewer.api.ok("sendChatMessage", { params: at, body: { content: "behind it" } });
    await socket.next("chat.message");
    expect(socket.ofType("mod.badge")).deep.equal([]);
    for (const one of [socket, moderators]) one.terminate();
  });
});
