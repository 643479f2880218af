import { expect } from "chai";
import { DAY_MS, HOUR_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { mediaChangesCollection } from "../../../../store/mongo/host/media-changes.ts";
import { clipsCollection } from "../../../../store/mongo/live/clips.ts";
import { type VideoDoc, videosCollection } from "../../../../store/mongo/live/videos.ts";
import { clipDoc } from "../../../support/clip-doc.ts";
import { movableClock } from "../../../support/clock.ts";
import { erased } from "../../../support/erased.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Channel, type Given, givenChannels, type Person } from "../../../support/given-channels.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { givenClips } from "./given-clips.ts";
import { type SpecMediaService, startMediaService } from "./media-service.ts";
import { sentChanges } from "./sent-changes.ts";

const CLIPS = 300;
/** Three rounds: the world's jobs may have one under way, and begin another, when a change is made. */
const SOON = 60;

describe("notifications of the media service while there are many of one account", function () {
  this.timeout(60_000);
  const clock = movableClock();
  let media: SpecMediaService;
  let world: World;
  let given: Given;
  let staff: Person;
  let viewer: Person;
  let channel: Channel;
  let clipId: string;
  beforeEach(async () => {
    media = await startMediaService();
    world = await openWorld({ clock, mediaUrl: media.url, stores: openOwnStores });
    media.serves(world);
    given = givenChannels(world);
    staff = await givenStaff(world, given).staff();
    channel = await given.liveChannel();
    clock.move(100_000);
    viewer = await given.user();
    clipId = (await givenClips(media).ready(viewer, channel)).id;
  });
  afterEach(async () => {
    await world.close();
    await media.close();
  });

  const rows = () => mediaChangesCollection.in(world.core.mongo.db).countDocuments();
  const ban = ({ id: account_id }: Person) =>
    staff.api.ok("banAccount", { params: { account_id }, body: { reason: "So" } });
  async function personWithClips(count: number): Promise<{ person: Person; ids: string[] }> {
    const person = await given.user();
    const docs = Array.from({ length: count }, () => clipDoc({ userId: person.id }));
    await clipsCollection.in(world.core.mongo.db).insertMany(docs);
    return { person, ids: docs.map(({ _id }) => _id) };
  }
  async function bannedWithMany(): Promise<void> {
    const { person } = await personWithClips(CLIPS);
    await ban(person);
    await eventually(async () => {
      await world.core.mediaChanges.sweep(() => true);
      return (await rows()) > CLIPS / 2;
    });
  }
  /** Expects that one of the next requests is about that clip. */
  async function isSoon(id: string, act: () => Promise<unknown>): Promise<void> {
    expect(await rows()).greaterThan(2 * SOON);
    const before = media.requested.length;
    await act();
    const { attempts } = sentChanges(media, world);
    await eventually(async () => {
      await world.core.mediaChanges.sweep(() => true);
      return attempts(id).length > 0;
    });
    const [first] = attempts(id);
    expect(first && media.requested.indexOf(first, before) - before).within(0, SOON);
  }
  const makePrivate = () =>
    viewer.api.ok("updateClip", { params: { clip_id: clipId }, body: { visibility: "private" } });

  it("sends a change of a clip before the many that another account's ban hides", async () => {
    await bannedWithMany();

    await isSoon(clipId, makePrivate);
  });

  async function personWithRecordings(count: number): Promise<{ person: Person }> {
    const person = await given.user();
    const at = new Date(clock.now());
    const videos = Array.from(
      { length: count },
      (): VideoDoc => ({
        _id: newId(),
        userId: person.id,
        streamId: newId(),
        mediaRecordingId: newId(),
        title: "A broadcast",
        thumbnailUrl: null,
        durationSeconds: 60,
        viewCount: 0,
        visibility: "public",
        isMature: false,
        publishedAt: at,
        createdAt: at,
      }),
    );
    await videosCollection.in(world.core.mongo.db).insertMany(videos);
    return { person };
  }

  for (const [what, personWithMany] of [
    ["clips", personWithClips],
    ["recordings", personWithRecordings],
  ] as const) {
    it(`sends a change of a clip before the many ${what} that an account's erasure deletes`, async () => {
      const { person } = await personWithMany(CLIPS);
      // Otherwise many would be sent while the account is being erased.
      media.answering.status = 503;
      await person.api.ok("deleteMe", { body: { password: "a long phrase for specs" } });
      clock.move(30 * DAY_MS + 1_000);
      await erased(world, person.id);
      media.answering.status = 202;
      clock.move(HOUR_MS);
      viewer = await given.signedInAgain(viewer);

      await isSoon(clipId, makePrivate);
    });
  }

  it("hides the clips of a banned account before the many of one that was banned earlier", async () => {
    await bannedWithMany();
    const { person, ids } = await personWithClips(3);

    await isSoon(ids[0] ?? "", () => ban(person));
  });

  it("sends the changes that have waited longest, however many come after them", async () => {
    await bannedWithMany();
    const { db } = world.core.mongo;
    const { attempts } = sentChanges(media, world);
    const [last] = await mediaChangesCollection.in(db).find().sort({ turn: -1 }).toArray();
    // As if it had been there for long.
    await mediaChangesCollection.in(db).updateOne({ _id: last?._id ?? "" }, { $set: { dueAt: new Date(0) } });

    await world.core.mediaChanges.sweep(() => true);

    await eventually(() => attempts(last?.thing.id ?? "").length > 0);
    expect(await rows()).greaterThan(SOON);
  });
});
