import { randomBytes } from "node:crypto";
import { expect } from "chai";
import sharp from "sharp";
import { shows } from "../../../contract/coverage/shows.ts";
import { createRooms } from "../../../realtime/rooms/rooms.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { type Channel, type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { animated, image } from "../../support/images.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openWorld, type World } from "../../support/world.ts";
import { bombPng } from "../accounts/account/bomb.ts";

describe("emotes", function () {
  this.timeout(60_000);
  const clock = movableClock();
  let world: World;
  let given: Given;
  let channel: Channel;
  const workers: ReturnType<typeof createRooms>[] = [];
  before(async () => {
    world = await openWorld({ clock });
    given = givenChannels(world);
  });
  beforeEach(async () => {
    channel = await given.channel();
  });
  after(async () => {
    for (const worker of workers) {
      await worker.stop();
      worker.close();
    }
    await world.close();
  });

  const nameOf = () => `E${randomBytes(6).toString("hex")}`;
  async function add(name: string, minTier = 0, { owner, at } = channel) {
    const query = { name, min_tier: minTier };
    return owner.api.ok("addChannelEmote", { params: at, query, ...(await image()) });
  }
  const say = (person: Person, content: string) => {
    clock.move(1_100);
    return person.api.call("sendChatMessage", { params: channel.at, body: { content } });
  };
  const emotesOf = (answer: { body: unknown }): string[] =>
    Object(answer.body).emotes.map(({ name }: { name: string }) => name);
  const pathOf = (url: string) => `${world.baseUrl}${new URL(url).pathname}`;
  const ruleOf = (answer: { body: unknown }) => Object(answer.body).details.errors[0].rule;

  /** Of another worker on the same stores. */
  function worker() {
    const { redis, mongo, streams, grantedRoles, chatBans, follows } = world.core;
    const log = quietLog();
    const made = createRooms({
      redis,
      mongo: mongo.db,
      streams,
      grantedRoles,
      chatBans,
      follows,
      log,
      clock,
    });
    workers.push(made);
    return made;
  }

  it("of a channel are in its messages, and in no other channel's", async () => {
    const viewer = await given.user();
    const socket = new Socket(`${world.socketUrl}/v1/ws/chat/${channel.at.stream_id}`);
    await socket.next("subscribed");
    expect(emotesOf(await say(viewer, "Wave"))).deep.equal([]);

    const made = await add("Wave");

    expect((await socket.next("chat.config")).data).deep.equal({ version: 1, changed: "emotes" });
    const { body } = await say(viewer, "hi 😀 Wave !");
    const { min_tier: _, ...shown } = made;
    expect(Object(body).emotes).deep.equal([{ ...shown, start_pos: 5, end_pos: 9 }]);
    expect(made).not.any.keys("start_pos", "end_pos");
    shows("absent ChatEmote.start_pos");
    expect((await channel.owner.api.ok("listChannelEmotes", { params: channel.at })).items).deep.equal([
      made,
    ]);
    channel = await given.channel();
    expect(emotesOf(await say(viewer, "Wave"))).deep.equal([]);
    socket.terminate();
  });

  it("that were deleted are in no message after the answer, on whichever worker", async () => {
    const others = [worker(), worker()];
    const { owner, at } = channel;
    const made = await add("Bye");
    const send = (from: (typeof others)[number], content: string) =>
      from.send({ streamId: at.stream_id, sender: { userId: owner.id, username: "owner" }, content });
    const placed = async (round: string) =>
      (await Promise.all(others.map((one, i) => send(one, `Bye ${round}${i}`)))).map((outcome) =>
        outcome.ok ? outcome.message.emotes.length : outcome.code,
      );
    expect(await placed("before")).deep.equal([1, 1]);

    await owner.api.ok("deleteChannelEmote", { params: { ...at, emote_id: made.id } });

    expect(await placed("after")).deep.equal([0, 0]);
    const again = await owner.api.call("deleteChannelEmote", { params: { ...at, emote_id: made.id } });
    expect(again.code).equal("not_found");
  });

  it("of staff answer not_found to a repeat of their addition after their deletion, as badges do", async () => {
    const staff = await givenStaff(world, given).staff();
    const name = nameOf();
    const picture = await image();
    const added = {
      ...picture,
      query: { name },
      headers: { ...picture.headers, "idempotency-key": `add-${name}` },
    };

    const emote = await staff.api.ok("addGlobalEmote", added);
    const badge = await staff.api.ok("addGlobalBadge", added);
    expect(await staff.api.ok("addGlobalEmote", added)).deep.equal(emote);
    await staff.api.ok("deleteGlobalEmote", { params: { emote_id: emote.id } });
    await staff.api.ok("deleteGlobalBadge", { params: { badge_id: badge.id } });

    expect((await staff.api.call("addGlobalEmote", added)).code).equal("not_found");
    expect((await staff.api.call("addGlobalBadge", added)).code).equal("not_found");
  });

  it("of staff are in every room within two seconds, and gone as soon; a channel's own go before them", async () => {
    const staff = await givenStaff(world, given).staff();
    const viewer = await given.user();
    const name = nameOf();
    const made = await staff.api.ok("addGlobalEmote", { query: { name }, ...(await image()) });
    const shows = (is: boolean) =>
      eventually(async () => emotesOf(await say(viewer, `${name} ${nameOf()}`)).includes(name) === is, {
        withinMs: 5_000,
        // Seldom enough for what one user may say.
        everyMs: 200,
        what: "the worker has the global set",
      });
    await shows(true);
    expect((await viewer.api.ok("listGlobalEmotes")).items).deep.include(made);
    const own = await add(name);
    expect(Object((await say(viewer, `${name} now`)).body).emotes[0]).include({
      id: own.id,
      is_global: false,
    });
    await channel.owner.api.ok("deleteChannelEmote", { params: { ...channel.at, emote_id: own.id } });

    await staff.api.ok("deleteGlobalEmote", { params: { emote_id: made.id } });

    await shows(false);
  });

  it("of a tier are for its subscribers and the owner, from the message after the subscription on", async () => {
    await add("Gold", 2);
    const viewer = await given.user();
    expect(emotesOf(await say(channel.owner, "Gold"))).deep.equal(["Gold"]);
    expect(emotesOf(await say(viewer, "Gold"))).deep.equal([]);

    const people = { subscriberId: viewer.id, channelUserId: channel.owner.id };
    const paid = { id: "paid", happenedAt: clock.now(), isGift: false, giftedBy: null };
    const price = { tier: 2 as const, priceCents: 999, platformId: null };
    await world.core.subscriptions.paid(viewer.id, people, { ...paid, ...price });

    const { body } = await say(viewer, "Gold at last");
    expect(Object(body).emotes.length).equal(1);
    expect(Object(body).badges).deep.equal(["subscriber-2"]);
  });

  it("alone are let through by emote-only mode, and only those that the author may use", async () => {
    const elsewhere = await given.channel();
    await add("Foreign", 0, elsewhere);
    await add("Mine");
    await add("Gold", 1);
    const viewer = await given.user();
    const body = { emote_only: true };
    await channel.owner.api.ok("updateChatSettings", { params: channel.at, body });
    const outcome = async (content: string) => {
      const { status, code } = await say(viewer, content);
      return status === 201 ? "sent" : code;
    };

    for (const taken of ["Mine", "Mine  😀 :Mine:", "🇩🇪"]) expect(await outcome(taken), taken).equal("sent");
    for (const refused of ["Foreign", "Gold", "Mine hello", ":wave:", "Mine!"])
      expect(await outcome(refused), refused).equal("emote_only");
  });

  it("have names of their own, and there are at most 200 of them, however many are added at once", async () => {
    const { owner, at } = channel;
    const emotes = world.core.mongo.db.collection<{ _id: string }>("emotes");
    const some = Array.from({ length: 196 }, (_, i) => ({
      _id: `${owner.id}${i}`,
      channelUserId: owner.id,
      name: `full${i}`,
      minTier: 0,
      imageUrl: "https://livecore.example/x",
      file: "x",
      createdAt: new Date(),
    }));
    await emotes.insertMany(some);
    const png = await image();
    const post = (name: string) => owner.api.call("addChannelEmote", { params: at, query: { name }, ...png });

    const twice = await Promise.all([post("Same"), post("Same")]);
    expect(twice.map(({ status }) => status).sort()).deep.equal([201, 409]);
    expect(twice.find(({ status }) => status === 409)?.code).equal("emote_name_taken");
    // One by one a user has two uploads under way; so the others are added below that.
    const { emoteSets } = world.core;
    const stream = await world.core.channels.require(at.stream_id);
    const many = Array.from({ length: 8 }, (_, i) =>
      emoteSets
        .add({ channel: stream }, { name: `many${i}`, minTier: 0, bytes: png.body })
        .then(() => "added")
        .catch((err: { code: string }) => err.code),
    );
    const outcomes = await Promise.all(many);

    expect(outcomes.filter((one) => one === "added").length).equal(3);
    expect(outcomes.filter((one) => one === "limit_reached").length).equal(5);
    expect(await emotes.countDocuments({ channelUserId: owner.id })).equal(200);
  });

  it("are pictures of ours: animated ones stay so, bombs and others are refused", async () => {
    const { owner, at } = channel;
    const post = (sent: Awaited<ReturnType<typeof image>>) =>
      owner.api.call("addChannelEmote", { params: at, query: { name: nameOf() }, ...sent });
    const served = async (answer: { body: unknown }) => {
      const bytes = Buffer.from(await (await fetch(pathOf(Object(answer.body).url))).arrayBuffer());
      const { format, width, pageHeight, height, pages = 1 } = await sharp(bytes).metadata();
      return { format, width, height: pageHeight ?? height, pages };
    };
    for (const type of ["png", "gif", "webp"] as const)
      expect(await served(await post(await image(type)))).deep.equal({
        format: "webp",
        width: 112,
        height: 112,
        pages: 1,
      });
    expect(await served(await post(await animated(12)))).include({ format: "webp", height: 112, pages: 12 });

    expect(ruleOf(await post(await animated(61)))).equal("frames");
    expect(ruleOf(await post(await animated(60, 700)))).equal("pixels");
    const png = { headers: { "content-type": "image/png" } };
    expect(ruleOf(await post({ ...png, body: bombPng(30_000, 30_000) }))).equal("pixels");
    const cut = (await image("png")).body.subarray(0, 60);
    expect(ruleOf(await post({ ...png, body: cut }))).equal("image");
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const jpeg = (await image("jpeg")).body;
    for (const body of [svg, jpeg]) expect((await post({ ...png, body })).status).equal(415);
    const large = Buffer.concat([(await image("png")).body, Buffer.alloc(512 * 1024)]);
    const answer = await post({ ...png, body: large });
    expect([answer.status, answer.details.most_bytes]).deep.equal([413, 512 * 1024]);
  });

  it("have files that go an hour after them", async () => {
    const made = await add("Bye");
    const { owner, at } = channel;
    await owner.api.ok("deleteChannelEmote", { params: { ...at, emote_id: made.id } });
    expect((await fetch(pathOf(made.url))).status).equal(200);

    clock.move(3_601_000);
    await world.core.pictures.sweep();

    expect((await fetch(pathOf(made.url))).status).equal(404);
  });
});
