import { expect } from "chai";
import { DAY_MS } from "../../../../base/durations.ts";
import { movableClock } from "../../../support/clock.ts";
import { signedParts } from "../../../support/edge.ts";
import { erased } from "../../../support/erased.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { readyData } from "./given-clips.ts";
import { reportRecording } from "./sent-changes.ts";
import { setUpClips } from "./set-up-clips.ts";

const PASSWORD = "a long phrase for specs";
type Visibility = "public" | "unlisted" | "private";

describe("notifications of the media service about files", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { media, world, given, clips, sent } = setUpClips({ clock });
  let channel: Channel;
  let viewer: Person;
  beforeEach(async () => {
    media.answering.status = 202;
    channel = await given.liveChannel();
    clock.move(100_000);
    viewer = await given.user();
  });

  const set = (who: Person, id: string, visibility: Visibility) =>
    who.api.ok("updateClip", { params: { clip_id: id }, body: { visibility } });

  async function recorded(): Promise<{ recordingId: string; params: { video_id: string } }> {
    const recordingId = await reportRecording(media, channel);
    const { items } = await world.api.ok("listVideos", { params: { username: channel.owner.username } });
    const video = items.find((one) => one.media_recording_id === recordingId);
    if (!video) throw new Error("a recording makes a video");
    return { recordingId, params: { video_id: video.id } };
  }
  async function deleteAccount(person: Person): Promise<void> {
    await person.api.ok("deleteMe", { body: { password: PASSWORD } });
    clock.move(30 * DAY_MS + 1_000);
    await erased(world, person.id);
  }

  it("sends each change of a clip's visibility, by creator or owner", async () => {
    const { id } = await clips.ready(viewer, channel);
    await set(viewer, id, "private");
    await sent.arrive(id, ["clip.set_visibility private"]);

    await set(channel.owner, id, "unlisted");
    await sent.arrive(id, ["clip.set_visibility private", "clip.set_visibility unlisted"]);
    await viewer.api.ok("updateClip", { params: { clip_id: id }, body: { title: "The same" } });
    await set(channel.owner, id, "public");

    await sent.arrive(id, [
      "clip.set_visibility private",
      "clip.set_visibility unlisted",
      "clip.set_visibility public",
    ]);
  });

  it("sends the visibility of a new clip that isn't public", async () => {
    const { id } = await clips.ready(viewer, channel, { visibility: "private" });

    await sent.arrive(id, ["clip.set_visibility private"]);
  });

  it("sends that a clip was deleted, by its creator, the owner or staff", async () => {
    const staff = await givenStaff(world, given).staff();
    for (const { api } of [viewer, channel.owner, staff]) {
      const { id } = await clips.ready(viewer, channel);
      await api.ok("deleteClip", { params: { clip_id: id } });
      await sent.arrive(id, ["clip.delete"]);
    }
  });

  it("sends that a clip was removed by a measure of staff", async () => {
    const staffed = givenStaff(world, given);
    const staff = await staffed.staff();
    const { id } = await clips.ready(viewer, channel);
    const report = { target_type: "clip", target_id: id, reason_code: "hate" };
    await channel.owner.api.ok("createReport", { body: report });
    const params = { report_id: await staffed.caseOf(id) };
    await staff.api.ok("handleReport", { params, body: { action: "claim" } });
    const measures = [{ type: "remove_content", reason: "It is hateful." }];
    await staff.api.ok("handleReport", { params, body: { action: "act", measures } });

    await sent.arrive(id, ["clip.delete"]);
  });

  it("sends a clip's deletion again when the clip is made afterwards", async () => {
    const { id } = await clips.made(viewer, channel);
    await media.isRequested(id);
    await viewer.api.ok("deleteClip", { params: { clip_id: id } });
    await sent.arrive(id, ["clip.delete"]);

    await media.report("clip.ready", readyData(id));

    await sent.arrive(id, ["clip.delete", "clip.delete"]);
  });

  it("sends what an account's erasure removes: its clips, its channel's clips, its videos", async () => {
    const ofViewer = await clips.ready(viewer, channel);
    const elsewhere = await given.liveChannel();
    clock.move(100_000);
    const ofOwner = await clips.ready(channel.owner, elsewhere);
    const { recordingId } = await recorded();

    await deleteAccount(channel.owner);

    await sent.arrive(ofViewer.id, ["clip.delete"]);
    await sent.arrive(ofOwner.id, ["clip.delete"]);
    await sent.arrive(recordingId, ["recording.delete"]);
  });

  it("hides the files of a banned account and its channel, until the ban is lifted", async () => {
    const staff = await givenStaff(world, given).staff();
    const ofViewer = await clips.ready(viewer, channel);
    const unlisted = await clips.ready(viewer, channel, { visibility: "unlisted" });
    await sent.arrive(unlisted.id, ["clip.set_visibility unlisted"]);
    const { recordingId, params: ofVideo } = await recorded();
    const params = { account_id: channel.owner.id };

    await staff.api.ok("banAccount", { params, body: { reason: "So" } });
    await sent.arrive(ofViewer.id, ["clip.set_visibility private"]);
    await sent.arrive(recordingId, ["recording.set_visibility private"]);
    await sent.arrive(unlisted.id, ["clip.set_visibility unlisted", "clip.set_visibility private"]);
    const seen = await staff.api.ok("getVideo", { params: ofVideo });
    expect(signedParts(seen.thumbnail_url ?? "").folder).equal(`${recordingId}_private`);

    await staff.api.ok("unbanAccount", { params });
    await sent.arrive(ofViewer.id, ["clip.set_visibility private", "clip.set_visibility public"]);
    await sent.arrive(recordingId, ["recording.set_visibility private", "recording.set_visibility public"]);
  });

  it("hides the files of a deleted account, until its owner restores it", async () => {
    const { id } = await clips.ready(viewer, channel);
    await viewer.api.ok("deleteMe", { body: { password: PASSWORD } });
    await sent.arrive(id, ["clip.set_visibility private"]);

    await given.signedInAgain(viewer);
    await sent.arrive(id, ["clip.set_visibility private", "clip.set_visibility public"]);
  });

  it("deletes a stream's pictures that owner or staff removed, or of a banned account", async () => {
    const staffed = givenStaff(world, given);
    const staff = await staffed.staff();
    const stream_id = channel.at.stream_id;
    const picture = async () => {
      clock.move(1_000);
      const thumbnail_url = "https://media.example/live.jpg";
      await media.report("stream.thumbnail", { stream_id, thumbnail_url });
      expect((await world.api.ok("getStream", { params: channel.at })).thumbnail_url).equal(thumbnail_url);
    };
    const once = "stream.delete_thumbnails";

    await picture();
    await channel.owner.api.ok("updateMyStream", { body: { thumbnail_url: null } });
    await sent.arrive(stream_id, [once]);

    await picture();
    const report = { target_type: "stream", target_id: stream_id, reason_code: "hate" };
    await viewer.api.ok("createReport", { body: report });
    const params = { report_id: await staffed.caseOf(stream_id) };
    await staff.api.ok("handleReport", { params, body: { action: "claim" } });
    const measures = [{ type: "remove_content", reason: "It is hateful." }];
    await staff.api.ok("handleReport", { params, body: { action: "act", measures } });
    await sent.arrive(stream_id, [once, once]);

    await picture();
    const account = { account_id: channel.owner.id };
    await staff.api.ok("banAccount", { params: account, body: { reason: "So" } });
    await sent.arrive(stream_id, [once, once, once]);
    await staff.api.ok("unbanAccount", { params: account });
    const back = await viewer.api.ok("getStream", { params: channel.at });
    expect(back.thumbnail_url).equal(null);

    const own = "https://images.example/own.jpg";
    const again = await given.signedInAgain(channel.owner);
    await again.api.ok("updateMyStream", { body: { thumbnail_url: own } });
    await again.api.ok("updateMyStream", { body: { thumbnail_url: null } });
    await world.core.mediaChanges.sweep(() => true);
    expect(sent.about(stream_id)).deep.equal([once, once, once]);
  });

  it("sends each change of a video's visibility, and its deletion", async () => {
    const { recordingId, params } = await recorded();
    const { api } = channel.owner;
    await api.ok("updateVideo", { params, body: { visibility: "private" } });
    await sent.arrive(recordingId, ["recording.set_visibility private"]);
    await api.ok("updateVideo", { params, body: { visibility: "public" } });
    await sent.arrive(recordingId, ["recording.set_visibility private", "recording.set_visibility public"]);

    await api.ok("deleteVideo", { params });
    const told = ["recording.set_visibility private", "recording.set_visibility public", "recording.delete"];
    await sent.arrive(recordingId, told);

    const again = { ...channel.at, media_recording_id: recordingId, duration_seconds: 60 };
    await media.report("recording.ready", again);
    await sent.arrive(recordingId, [...told, "recording.delete"]);
  });

  it("repeats until accepted, and sends the newest state alone", async () => {
    const { id } = await clips.ready(viewer, channel);
    media.answering.status = 503;
    await set(viewer, id, "private");
    await sent.arrive(id, ["clip.set_visibility private"]);
    await set(viewer, id, "public");
    await viewer.api.ok("deleteClip", { params: { clip_id: id } });
    media.answering.status = 202;

    await eventually(async () => {
      await world.core.mediaChanges.sweep(() => true);
      expect(sent.accepted(id)).deep.equal(["clip.delete"]);
    });

    clock.move(DAY_MS);
    const again = await given.signedInAgain(viewer);
    const next = await clips.ready(again, channel, { visibility: "private" });
    await sent.arrive(next.id, ["clip.set_visibility private"]);
    expect(sent.accepted(id)).deep.equal(["clip.delete"]);
  });

  it("alerts while the media service refuses, and keeps trying", async () => {
    const { id } = await clips.ready(viewer, channel);
    media.answering.status = 400;
    await viewer.api.ok("deleteClip", { params: { clip_id: id } });
    await eventually(
      async () => {
        clock.move(60_000);
        await world.core.mediaChanges.sweep(() => true);
        return world.alerts.includes("media_change_failing");
      },
      { what: "an alert" },
    );
    const before = sent.attempts(id).length;

    media.answering.status = 204;
    await eventually(
      async () => {
        clock.move(3_600_000);
        await world.core.mediaChanges.sweep(() => true);
        return sent.attempts(id).length > before;
      },
      { what: "another attempt" },
    );
  });
});
