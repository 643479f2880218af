import { expect } from "chai";
import { clipLikesCollection } from "../../../../store/mongo/live/clip-likes.ts";
import { clipRemovalsCollection } from "../../../../store/mongo/live/clip-removals.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { setUpClips } from "./set-up-clips.ts";

describe("likes of a clip that is gone", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given, clips } = setUpClips({ clock });
  let channel: Channel;
  let fan: Person;
  before(async () => {
    channel = await given.liveChannel();
    clock.move(100_000);
    fan = await given.user();
  });

  async function likedClip(): Promise<string> {
    const { id } = await clips.ready(await given.user(), channel);
    await fan.api.ok("likeClip", { params: { clip_id: id } });
    return id;
  }
  const areGone = (clipId: string) =>
    eventually(
      async () => {
        await world.core.clips.sweep();
        const { db } = world.core.mongo;
        expect(await clipLikesCollection.in(db).countDocuments({ clipId })).equal(0);
        expect(await clipRemovalsCollection.in(db).countDocuments({ _id: clipId })).equal(0);
      },
      { withinMs: 15_000 },
    );

  it("go when it is deleted", async () => {
    const clip_id = await likedClip();

    await channel.owner.api.ok("deleteClip", { params: { clip_id } });

    await areGone(clip_id);
  });

  it("go when staff remove it because of a report", async () => {
    const staffed = givenStaff(world, given);
    const staff = await staffed.staff();
    const clip_id = await likedClip();
    const report = { target_type: "clip", target_id: clip_id, reason_code: "hate" };
    await channel.owner.api.ok("createReport", { body: report });
    const params = { report_id: await staffed.caseOf(clip_id) };
    await staff.api.ok("handleReport", { params, body: { action: "claim" } });

    const measures = [{ type: "remove_content", reason: "It is hateful." }];
    await staff.api.ok("handleReport", { params, body: { action: "act", measures } });

    await areGone(clip_id);
  });

  it("go however many there are, without the deletion waiting for them", async () => {
    const clip_id = await likedClip();
    const { db } = world.core.mongo;
    const of = { clipId: clip_id, channelUserId: channel.owner.id, createdAt: new Date(clock.now()) };
    const likes = Array.from({ length: 2_500 }, (_, n) => ({
      ...of,
      _id: `${clip_id}:${n}`,
      userId: `user-${n}`,
    }));
    await clipLikesCollection.in(db).insertMany(likes);

    await channel.owner.api.ok("deleteClip", { params: { clip_id } });

    await areGone(clip_id);
  });
});
