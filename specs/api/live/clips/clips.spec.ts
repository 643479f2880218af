import { expect } from "chai";
import { BROADCAST_GRACE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { newId } from "../../../../base/ids.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import { clipProductionIn } from "../../../../store/mongo/live/clip-production.ts";
import { clipsIn } from "../../../../store/mongo/live/clips.ts";
import { clipDoc } from "../../../support/clip-doc.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Channel, givenChannels, type Person } from "../../../support/given-channels.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { readyData } from "./given-clips.ts";
import { setUpClips } from "./set-up-clips.ts";

describe("clips", () => {
  const clock = movableClock();
  const { media, world, given, clips } = setUpClips({ clock });
  let channel: Channel;
  let viewer: Person;
  beforeEach(async () => {
    media.answering.status = 202;
    channel = await given.liveChannel();
    clock.move(100_000);
    viewer = await given.user();
  });

  const requestsOf = (id: string) => media.requested.filter((one) => one.id === id);
  const requestArrives = (id: string, times = 1) =>
    eventually(() => requestsOf(id).length >= times, { what: "the media service gets the request" });
  const seenBy = (who: Person, id: string) => who.api.ok("getClip", { params: { clip_id: id } });
  async function refusal(body: object, who = viewer): Promise<unknown> {
    const whole = { ...channel.at, title: "A clip", start_time: 0, end_time: 5, ...body };
    return (await who.api.call("createClip", { body: whole })).code;
  }

  it("are requested from the media service with a signature and shown once it reports them", async () => {
    const body = {
      ...channel.at,
      title: "The moment",
      description: "Second try",
      start_time: 12.5,
      end_time: 42.25,
    };
    const made = await viewer.api.ok("createClip", { body });

    expect(made).include({ ...body, user_id: viewer.id, status: "processing", visibility: "public" });
    expect(made).include({ duration: 29.75, views_count: 0, likes_count: 0, liked: false });
    expect(made).not.have.any.keys("video_url", "thumbnail_url");
    expect(made.streamer?.id).equal(channel.owner.id);
    expect(made.creator).include({ id: viewer.id, username: viewer.username });
    await requestArrives(made.id);
    const [request] = requestsOf(made.id);
    expect(request?.type).equal("clip.create");
    expect(request?.data).include({ clip_id: made.id, ...channel.at, start_time: 12.5, end_time: 42.25 });

    expect(await media.report("clip.ready", readyData(made.id))).equal(200);

    const seen = await world.api.ok("getClip", { params: { clip_id: made.id } });
    expect(seen).include({ status: "ready", duration: 5.2 });
    expect(seen.video_url).match(/^https:.*\/clip\.mp4$/);
    expect(seen.thumbnail_url).match(/^https:.*\/pictures\/clip\.jpg$/);
    expect(seen).not.have.property("liked");
    shows("absent Clip.liked");
  });

  it("are mature if the channel was when they were made", async () => {
    const body = { ...channel.at, title: "A clip", start_time: 0, end_time: 5 };
    const before = await viewer.api.ok("createClip", { body });
    await channel.owner.api.ok("updateMyStream", { body: { is_mature: true } });
    const after = await viewer.api.ok("createClip", { body });

    expect([before.is_mature, after.is_mature]).deep.equal([false, true]);
    expect((await seenBy(viewer, before.id)).is_mature).equal(false);
    expect((await seenBy(viewer, after.id)).is_mature).equal(true);
  });

  it("are made once for one Idempotency-Key, also at once", async () => {
    const make = (key: string, title = "Once") =>
      viewer.api.call("createClip", {
        body: { ...channel.at, title, start_time: 0, end_time: 5 },
        headers: { "idempotency-key": key },
      });

    const answers = await Promise.all([make("k1"), make("k1")]);
    const again = await make("k1");
    const other = await make("k2");

    expect([...answers, again, other].map(({ status }) => status)).deep.equal([201, 201, 201, 201]);
    expect(new Set([...answers, again].map(({ body }) => Object(body).id)).size).equal(1);
    expect(Object(other.body).id).not.equal(Object(again.body).id);
    expect((await make("k1", "Another")).code).equal("idempotency_conflict");
  });

  it("are requested until the media service has taken them, and not again", async () => {
    media.answering.status = 503;
    const { id } = await clips.made(viewer, channel);
    await requestArrives(id);
    expect((await seenBy(viewer, id)).status).equal("processing");

    media.answering.status = 202;
    await eventually(() => {
      clock.move(1_000);
      return requestsOf(id).length === 2;
    });
    clock.move(3_600_000);
    await requestArrives((await clips.made(await given.user(), await livelong())).id);
    expect(requestsOf(id)).length(2);
  });

  it("have failed when the media service says so, refuses, or says nothing for a day", async () => {
    const [failing, silent] = [await clips.made(viewer, channel), await clips.made(viewer, channel)];
    await Promise.all([requestArrives(failing.id), requestArrives(silent.id)]);
    await media.report("clip.failed", { clip_id: failing.id });
    expect((await seenBy(viewer, failing.id)).status).equal("failed");

    media.answering.status = 422;
    const refused = await clips.made(viewer, channel);
    await eventually(async () => (await seenBy(viewer, refused.id)).status === "failed");

    clock.move(25 * 3_600_000);
    const again = await given.signedInAgain(viewer);
    await eventually(async () => (await seenBy(again, silent.id)).status === "failed");
    expect(world.alerts).include("clip_given_up");
  });

  it("stay what the first report made of them, whatever is reported late or again", async () => {
    const { id } = await clips.ready(viewer, channel);
    const before = await seenBy(viewer, id);
    clock.move(1_000);

    await media.report("clip.failed", { clip_id: id });
    await media.report("clip.ready", { ...readyData(id), video_path: "other.mp4" });

    expect(await seenBy(viewer, id)).deep.equal(before);
    expect(await media.report("clip.ready", readyData(newId()))).equal(200);
  });

  it("are 5 to 60 seconds long, within the running or the last broadcast", async () => {
    expect(await refusal({ end_time: 4.999 })).equal("validation_failed");
    expect(await refusal({ end_time: 60.001 })).equal("validation_failed");
    expect(await refusal({ start_time: 30, end_time: 20 })).equal("validation_failed");
    expect(await refusal({ start_time: 80, end_time: 140 })).equal("validation_failed");
    // Fractions that don't add up exactly.
    expect(await refusal({ start_time: 0.1, end_time: 60.1 })).equal(null);

    await given.hook("publish_done", { key: channel.stream.stream_key });
    clock.move(BROADCAST_GRACE_MS);
    await eventually(async () => {
      clock.move(2_000);
      return !(await world.api.ok("getStream", { params: channel.at })).is_live;
    });
    expect(await refusal({})).equal(null);
    expect(await refusal({ start_time: 3_000, end_time: 3_010 })).equal("validation_failed");

    const quiet = await given.channel();
    expect(await refusal(quiet.at)).equal("no_broadcast");
    expect(await refusal({ stream_id: newId() })).equal("not_found");
    expect(await refusal({ title: "x".repeat(101) })).equal("validation_failed");
    expect(await refusal({ description: "x".repeat(501) })).equal("validation_failed");
  });

  it("aren't made by who is banned there, timed out, or blocked either way", async () => {
    const [timedOut, blocked, blocks] = [await given.user(), await given.user(), await given.user()];
    const { api } = channel.owner;
    await api.ok("banUser", { params: { ...channel.at, user_id: viewer.id } });
    await api.ok("timeoutUser", {
      params: { ...channel.at, user_id: timedOut.id },
      body: { duration_seconds: 60 },
    });
    await api.ok("blockUser", { params: { user_id: blocked.id } });
    await blocks.api.ok("blockUser", { params: { user_id: channel.owner.id } });

    expect(await refusal({})).equal("banned");
    expect(await refusal({}, timedOut)).equal("timed_out");
    expect(await refusal({}, blocked)).equal("blocked");
    expect(await refusal({}, blocks)).equal("blocked");
    expect(await refusal({}, channel.owner)).equal(null);
  });

  it("that are private or not ready are there for their creator, the channel's owner and staff alone", async () => {
    const staff = await givenStaff(world, given).staff();
    const stranger = await given.user();
    const { id } = await clips.made(viewer, channel, { visibility: "private" });
    const params = { clip_id: id };
    const codes = async () =>
      Promise.all(
        [viewer, channel.owner, staff, stranger].map(
          async ({ api }) => (await api.call("getClip", { params })).status,
        ),
      );

    expect(await codes()).deep.equal([200, 200, 200, 404]);
    await requestArrives(id);
    await media.report("clip.ready", readyData(id));
    expect(await codes()).deep.equal([200, 200, 200, 404]);
    expect((await stranger.api.call("likeClip", { params })).code).equal("not_found");
    expect((await world.api.call("viewClip", { params })).code).equal("not_found");

    await viewer.api.ok("updateClip", { params, body: { visibility: "unlisted" } });
    expect(await codes()).deep.equal([200, 200, 200, 200]);
    const { items } = await stranger.api.ok("listUserClips", {
      params: { username: channel.owner.username },
    });
    expect(items).deep.equal([]);
  });

  it("are made no more visible by their creator than the channel's owner made them", async () => {
    const { id } = await clips.ready(viewer, channel);
    const params = { clip_id: id };
    const set = (who: Person, visibility: "public" | "unlisted" | "private") =>
      who.api.call("updateClip", { params, body: { visibility } });

    await set(channel.owner, "private");
    for (const visibility of ["public", "unlisted"] as const)
      expect((await set(viewer, visibility)).code).equal("forbidden");
    expect((await set(viewer, "private")).status).equal(200);
    await viewer.api.ok("updateClip", { params, body: { title: "Still mine" } });
    expect(await seenBy(viewer, id)).include({ visibility: "private", title: "Still mine" });

    await set(channel.owner, "unlisted");
    expect((await set(viewer, "public")).code).equal("forbidden");
    expect((await set(viewer, "private")).status).equal(200);
    expect((await set(viewer, "unlisted")).status).equal(200);

    await set(channel.owner, "public");
    expect((await set(viewer, "private")).status, "by itself").equal(200);
    expect((await set(viewer, "public")).status).equal(200);
  });

  it("are changed by their creator and the channel's owner, and deleted by staff too", async () => {
    const staff = await givenStaff(world, given).staff();
    const stranger = await given.user();
    const moderator = await given.moderatorOf(channel);
    const { id } = await clips.ready(viewer, channel, { description: "Before" });
    const params = { clip_id: id };

    const changed = await viewer.api.ok("updateClip", { params, body: { title: "$title" } });
    expect(changed).include({ title: "$title", description: "Before", visibility: "public" });
    await channel.owner.api.ok("updateClip", { params, body: { description: "" } });
    for (const { api } of [stranger, moderator, staff]) {
      expect((await api.call("updateClip", { params, body: { title: "Mine" } })).code).equal("forbidden");
    }
    for (const { api } of [stranger, moderator]) {
      expect((await api.call("deleteClip", { params })).code).equal("forbidden");
    }

    await staff.api.ok("deleteClip", { params });
    expect(world.audited.some((line) => line.event === "staff.acted")).equal(true);
    expect((await viewer.api.call("getClip", { params })).code).equal("not_found");
    await viewer.api.ok("deleteClip", { params: { clip_id: (await clips.made(viewer, channel)).id } });
    await channel.owner.api.ok("deleteClip", { params: { clip_id: (await clips.made(viewer, channel)).id } });
  });

  it("can be reported, and are removed by staff who act on it", async () => {
    const staffed = givenStaff(world, given);
    const staff = await staffed.staff();
    const { id } = await clips.ready(viewer, channel);
    const report = { target_type: "clip", target_id: id, reason_code: "hate" };
    expect((await viewer.api.call("createReport", { body: report })).code).equal("self_target");
    await channel.owner.api.ok("createReport", { body: report });

    const params = { report_id: await staffed.caseOf(id) };
    await staff.api.ok("handleReport", { params, body: { action: "claim" } });
    const measures = [{ type: "remove_content", reason: "It is hateful." }];
    await staff.api.ok("handleReport", { params, body: { action: "act", measures } });

    expect((await viewer.api.call("getClip", { params: { clip_id: id } })).code).equal("not_found");
    expect((await viewer.api.ok("getMe")).username).equal(viewer.username);
  });

  async function livelong(): Promise<Channel> {
    const made = await given.liveChannel();
    clock.move(10_000);
    return made;
  }
});

describe("clips without a media service", () => {
  let world: World;
  before(async () => {
    world = await openWorld({ clock: movableClock(), mediaUrl: null });
  });
  after(() => world.close());

  it("can't be made", async () => {
    const channel = await givenChannels(world).channel();
    const body = { ...channel.at, title: "A clip", start_time: 0, end_time: 5 };

    const answer = await channel.owner.api.call("createClip", { body });

    expect([answer.status, answer.code]).deep.equal([503, "unavailable"]);
  });

  it("marks clips as failed when their media service is no longer configured", async () => {
    const channel = await givenChannels(world).liveChannel();
    const { sessionId: broadcastId } = await world.core.channels.require(channel.at.stream_id);
    const made = {
      streamId: channel.at.stream_id,
      broadcastId: broadcastId ?? "",
      channelUserId: channel.owner.id,
      userId: channel.owner.id,
      status: "processing" as const,
    };
    const dueAt = new Date(world.clock.now());
    const taken = clipDoc({ ...made, request: { isTaken: true, failures: 0, dueAt } });
    const untaken = clipDoc({ ...made, request: { isTaken: false, failures: 0, dueAt } });
    const { db } = world.core.mongo;
    for (const doc of [taken, untaken]) await clipsIn(db).insert(doc);

    const statusOf = async ({ _id }: { _id: string }) => (await clipsIn(db).find(_id))?.status;
    await eventually(async () => (await statusOf(taken)) === "failed");
    await eventually(async () => (await clipsIn(db).find(untaken._id))?.request?.failures === 1);
    await clipProductionIn(db).later(untaken._id, { isTaken: false, failures: 64, dueAt });
    await eventually(async () => (await statusOf(untaken)) === "failed");
  });
});
