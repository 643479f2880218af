import { expect } from "chai";
import { clipsCollection, clipsIn } from "../../../../store/mongo/live/clips.ts";
import { movableClock } from "../../../support/clock.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { setUpClips } from "./set-up-clips.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("lists of clips", () => {
  const clock = movableClock();
  const { media, world, given, clips } = setUpClips({ clock, stores: openOwnStores });
  let channel: Channel;
  let viewer: Person;
  beforeEach(async () => {
    channel = await given.liveChannel();
    clock.move(100_000);
    viewer = await given.user();
  });

  const idsFor = async (api = world.api, query: Record<string, string> = {}) => {
    const params = { username: channel.owner.username };
    return (await api.ok("listUserClips", { params, query })).items.map(({ id }) => id);
  };
  const viewFrom = (id: string, n: number) =>
    world.core.viewCounts.count({ kind: "clip", id }, { userId: null, ip: `198.51.100.${n}` });
  async function made(more: object = {}): Promise<string> {
    clock.move(1_000);
    return (await clips.ready(viewer, channel, more)).id;
  }

  it("hold what is ready and public; what isn't, for its creator and the channel's owner alone", async () => {
    const [open, unlisted, hidden] = [
      await made(),
      await made({ visibility: "unlisted" }),
      await made({ visibility: "private" }),
    ];
    const begun = (await clips.made(viewer, channel)).id;
    const failed = (await clips.made(viewer, channel)).id;
    await media.report("clip.failed", { clip_id: failed });
    const all = [open, unlisted, hidden, begun, failed];
    const stranger = await given.user();

    for (const sort of ["recent", "trending", "views"]) {
      expect(await idsFor(world.api, { sort, period: "7d" })).deep.equal([open]);
      expect(await idsFor(stranger.api, { sort })).deep.equal([open]);
      expect(await idsFor(viewer.api, { sort })).members(all);
      expect(await idsFor(channel.owner.api, { sort, period: "24h" })).members(all);
    }
    const ofAll = async ({ api }: Pick<Person, "api">) =>
      (await api.ok("listClips", { query: { sort: "recent", per_page: "100" } })).items.map(({ id }) => id);
    expect((await ofAll(world)).filter((id) => all.includes(id))).deep.equal([open]);
    expect((await ofAll(stranger)).filter((id) => all.includes(id))).deep.equal([open]);
    expect((await ofAll(viewer)).filter((id) => all.includes(id))).members(all);
    expect((await ofAll(channel.owner)).filter((id) => all.includes(id))).members(all);
  });

  it("say whether the caller likes each, and nothing of it to anybody else", async () => {
    const [liked, other] = [await made(), await made()];
    const params = { clip_id: liked };
    await viewer.api.ok("likeClip", { params });
    const again = await viewer.api.ok("likeClip", { params });
    expect(again).include({ liked: true, likes_count: 1 });

    const inList = async ({ api }: Pick<Person, "api">) =>
      (await api.ok("listUserClips", { params: { username: channel.owner.username } })).items;
    const own = new Map((await inList(viewer)).map((clip) => [clip.id, clip.liked]));
    expect([own.get(liked), own.get(other)]).deep.equal([true, false]);
    for (const clip of await inList(world)) expect(clip).not.have.property("liked");

    await viewer.api.ok("unlikeClip", { params });
    expect(await viewer.api.ok("unlikeClip", { params })).include({ liked: false, likes_count: 0 });
  });

  it("come by time, by views, and by what views and likes are worth now", async () => {
    const old = await made();
    for (let n = 0; n < 40; n++) await viewFrom(old, n);
    clock.move(4 * DAY);
    channel = { ...channel, owner: await given.signedInAgain(channel.owner) };
    viewer = await given.signedInAgain(viewer);
    const [seen, liked, plain] = [await made(), await made(), await made()];
    for (let n = 0; n < 3; n++) await viewFrom(seen, n);
    await viewer.api.ok("likeClip", { params: { clip_id: liked } });

    expect(await idsFor(world.api, { sort: "recent" })).deep.equal([plain, liked, seen, old]);
    expect(await idsFor(world.api, { sort: "views" })).deep.equal([old, seen, plain, liked]);
    expect(await idsFor(world.api, { sort: "trending" })).deep.equal([liked, seen, old, plain]);
    expect(await idsFor(world.api, { sort: "views", period: "24h" })).deep.equal([seen, plain, liked]);
    expect(await idsFor(world.api, { sort: "trending", period: "24h" })).deep.equal([liked, seen, plain]);
  });

  it("aren't climbed by liking again and again, nor by what was taken back", async () => {
    const [first, second] = [await made(), await made()];
    const params = { clip_id: first };
    for (let n = 0; n < 5; n++) {
      await viewer.api.ok("likeClip", { params });
      clock.move(60_000);
      await viewer.api.ok("unlikeClip", { params });
    }

    const docs = clipsCollection.in(world.core.mongo.db);
    const [one, other] = [await docs.findOne({ _id: first }), await docs.findOne({ _id: second })];
    expect(one?.likesCount).equal(0);
    expect(one?.score).lessThan(other?.score ?? 0);
    expect(await idsFor(world.api, { sort: "trending" })).deep.equal([second, first]);
  });

  it("refuses a stranger's report of a private clip like one of a clip that never was", async () => {
    const id = await made();
    const stranger = await given.user();
    const target = { target_type: "clip" as const, target_id: id, reason_code: "spam" as const };
    const set = (visibility: "private" | "public") =>
      clipsCollection.in(world.core.mongo.db).updateOne({ _id: id }, { $set: { visibility } });
    await set("private");

    expect((await stranger.api.call("createReport", { body: target })).code).equal("not_found");
    expect((await world.api.call("createReport", { body: target })).code).equal("not_found");
    expect((await channel.owner.api.call("createReport", { body: target })).status).equal(201);
    await set("public");
    expect((await stranger.api.call("createReport", { body: target })).status).equal(201);
  });

  it("leave out those of a channel, and by somebody, that was banned, with whom nothing else is done either", async () => {
    const id = await made();
    const params = { clip_id: id };
    const stranger = await given.user();
    const banned = world.core.mongo.db.collection<{ _id: string }>("users");
    await banned.updateOne({ _id: viewer.id }, { $set: { status: "banned" } });

    expect(await idsFor()).deep.equal([]);
    const answers = await Promise.all([
      world.api.call("getClip", { params }),
      world.api.call("viewClip", { params }),
      stranger.api.call("likeClip", { params }),
    ]);
    expect(answers.map(({ code }) => code)).deep.equal(Array(3).fill("not_found"));
    // Whose channel it is can look at it, and remove it.
    expect((await channel.owner.api.ok("getClip", { params })).id).equal(id);
    const clip = await clipsIn(world.core.mongo.db).find(id);
    const ofChannel = { channelUserId: channel.owner.id };
    await banned.updateOne({ _id: channel.owner.id }, { $set: { status: "banned" } });
    const body = { ...channel.at, title: "Another", start_time: 0, end_time: 5 };
    expect((await stranger.api.call("createClip", { body })).code).equal("not_found");
    const ofBanned = { params: { username: channel.owner.username } };
    expect((await stranger.api.call("listUserClips", ofBanned)).code).equal("not_found");
    expect(await clipsCollection.in(world.core.mongo.db).countDocuments(ofChannel)).equal(1);
    expect(clip).include({ viewsCount: 0, likesCount: 0, title: "A clip" });
  });
});
