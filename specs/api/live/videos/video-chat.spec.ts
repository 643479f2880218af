import { expect } from "chai";
import { HOUR_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { givenBilling } from "../../../support/billing.ts";
import { movableClock } from "../../../support/clock.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

const DURATION = 60;

describe("the chat beside a video", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  let viewer: Person;
  /** When the broadcast began. */
  let began: number;
  beforeEach(async () => {
    channel = await given.liveChannel();
    viewer = await given.user();
    began = clock.now();
  });

  async function say(seconds: number, content: string, by = viewer): Promise<string> {
    clock.move(began + seconds * 1_000 - clock.now());
    const { uuid } = await by.api.ok("sendChatMessage", { params: channel.at, body: { content } });
    return uuid;
  }

  /** Reported `seconds` after the broadcast began; returns the video's path parameter. */
  async function recorded(seconds: number, more: object = {}) {
    clock.move(began + seconds * 1_000 - clock.now());
    const id = newId();
    const data = { ...channel.at, media_recording_id: id, duration_seconds: DURATION, ...more };
    const hook = { type: "recording.ready", data };
    expect((await givenBilling(world).send(hook, {}, "mediaHook")).status).equal(200);
    const { items } = await viewer.api.ok("listVideos", { params: { username: channel.owner.username } });
    const video = items.find(({ media_recording_id }) => media_recording_id === id);
    if (!video) throw new Error("a recording makes a video");
    return { params: { video_id: video.id }, video };
  }
  type Video = Awaited<ReturnType<typeof recorded>>;

  const startedAt = (seconds: number) => ({ started_at: new Date(began + seconds * 1_000).toISOString() });
  const chat = ({ params }: Video, query = {}, api = viewer.api) =>
    api.ok("listVideoChat", { params, query });
  /** The clock goes on between requests, so whole seconds are compared. */
  const timed = async (video: Video, query = {}) =>
    (await chat(video, query)).items.map(({ offset_seconds, message }) => [
      Math.floor(offset_seconds),
      message.content,
    ]);

  it("has each message at the time of the picture at which it was sent", async () => {
    await say(4, "before the recording");
    await say(10, "at its first picture");
    await say(20, "ten seconds later");
    await say(70, "with its last picture");
    await say(72, "after it");
    const video = await recorded(75, startedAt(10));

    expect(video.video.started_at).equal(startedAt(10).started_at);
    expect(await timed(video)).deep.equal([
      [0, "at its first picture"],
      [10, "ten seconds later"],
      [60, "with its last picture"],
    ]);
    const [first] = (await chat(video)).items;
    const sentAfter = (first?.message.timestamp ?? 0) - Date.parse(startedAt(10).started_at);
    expect(first?.offset_seconds).equal(sentAfter / 1_000);
  });

  it("is there from any second on with one request, and continues by its cursor", async () => {
    for (let second = 0; second < 12; second += 2) await say(second, `at ${second}`);
    const video = await recorded(DURATION, startedAt(0));

    const page = await chat(video, { from: 4, limit: 2 });

    const seconds = ({ items }: typeof page) => items.map((one) => Math.floor(one.offset_seconds));
    expect(seconds(page)).deep.equal([4, 6]);
    expect(page.has_more).equal(true);
    const next = await chat(video, { after: page.after_cursor, limit: 2 });
    expect(seconds(next)).deep.equal([8, 10]);
    expect(next.has_more).equal(false);
    expect((await chat(video, { after: next.after_cursor })).items).deep.equal([]);
    expect((await chat(video, { from: 11 })).items).deep.equal([]);
  });

  it("begins with the video's start as it is estimated, where the media service doesn't report it", async () => {
    await say(5, "during the recording");
    const atItsEnd = await recorded(DURATION);
    expect(atItsEnd.video.started_at).equal(null);
    expect(await timed(atItsEnd)).deep.equal([[5, "during the recording"]]);

    await channel.owner.api.ok("endBroadcast", { params: channel.at });
    clock.move(3 * HOUR_MS);
    viewer = await given.user();
    const hoursLater = await recorded((clock.now() - began) / 1_000);
    const [[seconds, content] = []] = await timed(hoursLater);
    expect(content).equal("during the recording");
    // Within what it takes a broadcast to be live.
    expect(seconds).within(5, 11);
  });

  it("leaves out the content of deleted messages, and of those of users who were banned", async () => {
    const uuid = await say(1, "deleted");
    const banned = await given.user();
    await say(3, "of a banned user", banned);
    await say(5, "kept");
    const params = { ...channel.at, uuid };
    await channel.owner.api.ok("deleteChatMessage", { params });
    await channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: banned.id }, body: {} });

    expect(await timed(await recorded(DURATION, startedAt(0)))).deep.equal([
      [1, ""],
      [3, ""],
      [5, "kept"],
    ]);
  });

  it("is there for whom the video is there", async () => {
    const staff = await givenStaff(world, given).staff();
    await say(1, "hello");
    const { params } = await recorded(DURATION, startedAt(0));
    const statuses = () =>
      Promise.all(
        [channel.owner.api, staff.api, viewer.api, world.api].map(
          async (api) => (await api.call("listVideoChat", { params })).status,
        ),
      );

    expect(await statuses()).deep.equal([200, 200, 200, 200]);
    for (const [visibility, others] of [
      ["unlisted", 200],
      ["private", 404],
    ] as const) {
      await channel.owner.api.ok("updateVideo", { params, body: { visibility } });
      expect(await statuses()).deep.equal([200, 200, others, others]);
    }
    await channel.owner.api.ok("deleteVideo", { params });
    expect(await statuses()).deep.equal([404, 404, 404, 404]);
  });

  it("takes no start that is later than its report", async () => {
    const { video } = await recorded(DURATION, startedAt(DURATION + 1));

    expect(video.started_at).equal(null);
  });
});
