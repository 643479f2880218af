import { expect } from "chai";
import { DAY_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { mediaChangesCollection } from "../../../../store/mongo/host/media-changes.ts";
import { clipsCollection } from "../../../../store/mongo/live/clips.ts";
import { hooksCollection } from "../../../../store/mongo/monetization/hooks.ts";
import { movableClock } from "../../../support/clock.ts";
import { signedParts } from "../../../support/edge.ts";
import { erased } from "../../../support/erased.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { readyAt, readyData } from "./given-clips.ts";
import { reportRecording } from "./sent-changes.ts";
import { setUpClips } from "./set-up-clips.ts";

/** How far the media service's clock is ahead. */
const AHEAD_MS = 30_000;
const PASSWORD = "a long phrase for specs";

describe("reports of the media service about files of accounts that aren't active", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { media, world, given, clips, sent } = setUpClips({ clock });
  let staff: Person;
  let channel: Channel;
  let viewer: Person;
  beforeEach(async () => {
    channel = await given.liveChannel();
    clock.move(100_000);
    viewer = await given.user();
    staff = await givenStaff(world, given).staff();
  });

  const ban = ({ id: account_id } = channel.owner) =>
    staff.api.ok("banAccount", { params: { account_id }, body: { reason: "So" } });
  /** Until the media service was notified of everything that the ban itself hides. */
  async function banned(person: Person): Promise<void> {
    const before = await clips.ready(person, channel);
    await ban(person);
    await sent.arrive(before.id, ["clip.set_visibility private"]);
  }
  async function requested(by: Person): Promise<string> {
    const { id } = await clips.made(by, channel);
    await media.isRequested(id);
    return id;
  }
  const reportPicture = () =>
    media.report(
      "stream.thumbnail",
      { ...channel.at, thumbnail_url: "https://media.example/live.jpg" },
      { at: new Date(clock.now() + AHEAD_MS) },
    );

  for (const [who, of] of [
    ["creator", () => viewer],
    ["channel's owner", () => channel.owner],
  ] as const) {
    it(`hides the files of a clip that is made after its ${who} was banned`, async () => {
      const id = await requested(viewer);
      await banned(of());

      await media.report("clip.ready", readyData(id));

      await sent.arrive(id, ["clip.set_visibility private"]);
      const { video_url = "" } = await staff.api.ok("getClip", { params: { clip_id: id } });
      expect(signedParts(video_url)).include({ folder: `${id}_private`, file: "clip.mp4" });
    });
  }

  it("hides the files of a clip that is made after its creator deleted the account", async () => {
    const id = await requested(viewer);
    await viewer.api.ok("deleteMe", { body: { password: PASSWORD } });
    await world.core.mediaChanges.sweep(() => true);

    await media.report("clip.ready", readyData(id));

    await sent.arrive(id, ["clip.set_visibility private"]);
  });

  it("hides files that take the place of a banned account's addresses", async () => {
    const id = await requested(viewer);
    await media.report("clip.ready", readyAt(id));
    await ban(viewer);
    await sent.arrive(id, ["clip.set_visibility private"]);
    const before = sent.attempts(id).length;

    await media.report("clip.ready", readyData(id));

    await world.core.mediaChanges.sweep(() => true);
    await sent.arrive(id, ["clip.set_visibility private"]);
    expect(sent.attempts(id).length).greaterThan(before);
  });

  it("hides a recording that is reported after its owner was banned, until the ban is lifted", async () => {
    await banned(channel.owner);

    const recordingId = await reportRecording(media, channel);

    await sent.arrive(recordingId, ["recording.set_visibility private"]);
    await staff.api.ok("unbanAccount", { params: { account_id: channel.owner.id } });
    await sent.arrive(recordingId, ["recording.set_visibility private", "recording.set_visibility public"]);
  });

  it("hides a banned account's recording again when its picture's file is reported", async () => {
    const recordingId = newId();
    const data = { ...channel.at, media_recording_id: recordingId, duration_seconds: 60 };
    await media.report("recording.ready", data);
    await ban();
    await sent.arrive(recordingId, ["recording.set_visibility private"]);
    const before = sent.attempts(recordingId).length;

    await reportRecording(media, channel, recordingId);

    await world.core.mediaChanges.sweep(() => true);
    await sent.arrive(recordingId, ["recording.set_visibility private"]);
    expect(sent.attempts(recordingId).length).greaterThan(before);
  });

  for (const [when, order] of [
    ["after", [ban, reportPicture]],
    ["before", [reportPicture, ban]],
  ] as const) {
    it(`deletes a live picture reported ${when} its owner's ban, by a clock that is ahead`, async () => {
      const takenAt = clock.now() + AHEAD_MS;
      for (const act of order) await act();

      await eventually(async () => {
        await world.core.mediaChanges.sweep(() => true);
        const until = sent
          .attempts(channel.at.stream_id)
          .map(({ data }) => Date.parse(`${data.taken_until}`));
        expect(Math.max(...until)).least(takenAt);
      });
      await staff.api.ok("unbanAccount", { params: { account_id: channel.owner.id } });
      expect((await viewer.api.ok("getStream", { params: channel.at })).thumbnail_url).equal(null);
    });
  }

  it("deletes a live picture reported after everything of its owner's ban was sent", async () => {
    await banned(channel.owner);
    const pending = () =>
      mediaChangesCollection.in(world.core.mongo.db).countDocuments({
        "thing.id": { $in: [channel.owner.id, channel.at.stream_id] },
      });
    await eventually(async () => {
      await world.core.mediaChanges.sweep(() => true);
      return (await pending()) === 0;
    });
    const before = sent.attempts(channel.at.stream_id).length;

    await reportPicture();

    await eventually(async () => {
      await world.core.mediaChanges.sweep(() => true);
      return sent.attempts(channel.at.stream_id).length > before;
    });
    expect((await staff.api.ok("getStream", { params: channel.at })).thumbnail_url).equal(null);
  });

  it("deletes a recording that is reported again after its owner's account was erased", async () => {
    const recordingId = await reportRecording(media, channel);
    await channel.owner.api.ok("deleteMe", { body: { password: PASSWORD } });
    clock.move(30 * DAY_MS + 1_000);
    await erased(world, channel.owner.id);
    const deletions = () => sent.about(recordingId).filter((line) => line === "recording.delete").length;
    await eventually(async () => {
      await world.core.mediaChanges.sweep(() => true);
      return deletions() === 1;
    });

    await reportRecording(media, channel, recordingId);

    await eventually(async () => {
      await world.core.mediaChanges.sweep(() => true);
      return deletions() === 2;
    });
  });

  it("hides files that are reported while their owner is being banned", async () => {
    for (let round = 0; round < 2; round++) {
      channel = await given.liveChannel();
      clock.move(100_000);
      const [first, second] = [await requested(channel.owner), await requested(channel.owner)];
      const [third, fourth] = [newId(), newId()];
      const report = (clipId: string, recordingId: string) => [
        media.report("clip.ready", readyData(clipId)),
        reportRecording(media, channel, recordingId),
        reportPicture(),
      ];

      await Promise.all([ban(), ...report(first, third)]);
      await Promise.all([world.core.mediaChanges.sweep(() => true), ...report(second, fourth)]);

      for (const id of [first, second]) await sent.arrive(id, ["clip.set_visibility private"]);
      for (const id of [third, fourth]) await sent.arrive(id, ["recording.set_visibility private"]);
      expect(sent.about(channel.at.stream_id)).contain("stream.delete_thumbnails");
      const seen = await staff.api.ok("getStream", { params: channel.at });
      expect(seen.thumbnail_url).equal(null);
    }
  });

  it("hides a clip whose report began before the ban and ends after all its files are hidden", async () => {
    const { client, db } = world.core.mongo;
    const clip_id = await requested(viewer);
    const session = client.startSession();
    session.startTransaction();
    await clipsCollection.in(db).updateOne({ _id: clip_id }, { $set: { title: "held" } }, { session });
    const reported = media.report("clip.ready", readyData(clip_id));
    const isReceived = () => hooksCollection.in(db).countDocuments({ "event.data.clip_id": clip_id });
    await eventually(async () => (await isReceived()) > 0);

    await banned(channel.owner);
    await session.abortTransaction();
    await session.endSession();
    await reported;

    await sent.arrive(clip_id, ["clip.set_visibility private"]);
  });

  it("sends nothing about public files of active accounts", async () => {
    const { id } = await clips.ready(viewer, channel);
    const recordingId = await reportRecording(media, channel);
    await reportPicture();
    const { stream_id } = channel.at;
    const next = await clips.ready(viewer, channel, { visibility: "private" });
    await sent.arrive(next.id, ["clip.set_visibility private"]);

    expect([id, recordingId, stream_id].flatMap(sent.about)).deep.equal([]);
  });
});
