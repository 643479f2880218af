import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { repairFollowerCounts } from "../../../jobs/channels/follower-counts/repair.ts";
import { checkFollowerCounts } from "../../../store/mongo/channels/follower-count-check.ts";
import type { FollowerCountDoc } from "../../../store/mongo/channels/follower-counts.ts";
import { type FollowChange, type FollowDoc, followsIn } from "../../../store/mongo/channels/follows.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { migrate } from "../../../store/mongo/schema/migrate.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openStores, type Stores } from "../../support/stores.ts";

describe("follower counts", () => {
  /** So small that most channels share pages, and some are larger than one. */
  const PAGE = { rows: 20, rowsOfOne: 7 };
  const SIZES = [1, 3, 50, 2, 8, 21, 19, 1, 1, 1, 30];
  const given = { clock: { now: () => 1_700_000_000_000 }, log: quietLog() };
  const now = () => new Date(given.clock.now());

  let stores: Stores;
  let channels: string[];
  let nobody: string;
  beforeEach(async () => {
    stores = await openStores(`livecore_spec_followers_${process.pid}_${newId().slice(-6)}`);
    channels = SIZES.map(() => newId());
    nobody = newId();
    // As the release before wrote them: uncounted.
    await rows().insertMany(
      channels.flatMap((id, i) => Array.from({ length: SIZES[i] ?? 0 }, (_one, n) => row(id, n))),
    );
    await migrate(stores.mongo, given);
  });
  afterEach(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });

  const rows = () => stores.mongo.db.collection<FollowDoc>("follows");
  const follows = () => followsIn(stores.mongo.db);
  const counted = (ids = channels) => Promise.all(ids.map((id) => follows().countFollowers(id)));
  const mend = (page = PAGE) => repairFollowerCounts(stores.mongo.db, now, page);

  /** Several came in the same millisecond. */
  function row(followingId: string, n: number): FollowDoc {
    const followerId = newId();
    const createdAt = new Date(1_600_000_000_000 + Math.floor(n / 9));
    return { _id: `${followerId}:${followingId}`, id: newId(), followerId, followingId, createdAt };
  }

  const change = (followingId: string, ...changes: FollowChange[]) =>
    inTransaction(stores.mongo.client, (session) =>
      follows().change(followingId, changes, new Date(), session),
    );
  const follow = (followingId: string, followerId: string) =>
    change(followingId, { follows: { id: newId(), followerId, followingId, createdAt: new Date() } });
  const unfollow = (followingId: string, followerId: string) =>
    change(followingId, { unfollows: followerId });

  it("are there for follows from before they were kept", async () => {
    expect(await counted()).deep.equal(SIZES);
    expect(await counted([nobody])).deep.equal([0]);
  });

  it("go on from there", async () => {
    const [one = ""] = channels;
    const before = await rows().findOne({ followingId: one });

    await follow(one, "new");
    await follow(one, "new");
    await unfollow(one, before?.followerId ?? "");
    await unfollow(one, before?.followerId ?? "");
    await follow(nobody, "first");

    expect(await counted([one, nobody])).deep.equal([1, 1]);
    expect(await mend()).deep.equal({ channels: SIZES.length + 1, mended: 0 });
  });

  it("are mended where workers of the release before have written, page by page", async () => {
    const [one = "", two = "", large = ""] = channels;
    await follow(nobody, "somebody");
    // What a release writes that doesn't count.
    await rows().insertMany([row(one, 0), row(two, 0)]);
    await rows().deleteMany({ followingId: nobody });
    await rows().deleteMany({ followingId: large, createdAt: { $gt: new Date(1_600_000_000_002) } });
    expect(await counted([one, two, large, nobody])).deep.equal([1, 3, 50, 1]);

    const mended = await mend();

    expect(mended).deep.equal({ channels: SIZES.length + 1, mended: 4 });
    expect(await counted([one, two, large, nobody])).deep.equal([2, 4, 27, 0]);
    expect(await mend()).deep.equal({ channels: SIZES.length + 1, mended: 0 });
  });

  it("are mended once by two checks at once, beside follows that go on", async () => {
    const { db } = stores.mongo;
    await db.collection("follower_counts").deleteMany({});
    const fans = Array.from({ length: 40 }, newId);

    const followed = Promise.all(channels.flatMap((id) => fans.slice(0, 5).map((fan) => follow(id, fan))));
    await Promise.all([
      ...Array.from({ length: 4 }, () => checkFollowerCounts(db, "", { rows: 1_000, rowsOfOne: 7 })),
      followed,
    ]);

    expect(await counted()).deep.equal(SIZES.map((size) => size + 5));
  });

  it("are found right while follows go on", async () => {
    const { db } = stores.mongo;
    const [one = "", two = ""] = channels;
    const corrected: number[] = [];
    let isOver = false;
    let rounds = 0;
    const following = (async () => {
      for (; rounds < 60 || corrected.length < 4; rounds++) {
        await Promise.all([one, two].map((id) => follow(id, newId())));
      }
    })().finally(() => {
      isOver = true;
    });

    while (!isOver) {
      corrected.push((await checkFollowerCounts(db, "", { rows: 1_000, rowsOfOne: 7 })).corrected);
    }
    await following;

    expect(Math.max(...corrected)).equal(0);
    expect(await counted([one, two])).deep.equal([rounds + 1, rounds + 3]);
  });

  it("are checked on from where a run that died had come to", async () => {
    const [one = "", two = ""] = channels;
    await rows().insertMany([row(one, 0), row(two, 0)]);
    const cursor = jobCursorsIn(stores.mongo.db, "follower-counts");
    await cursor.keep({ after: one, channels: 1, mended: 0 }, now());

    const resumed = await mend();

    expect(resumed).deep.equal({ channels: SIZES.length, mended: 1 });
    expect(await counted([one, two])).deep.equal([1, 4]);
    expect(await mend()).deep.equal({ channels: SIZES.length, mended: 1 });
  });

  it("are read from their shards, never below 0", async () => {
    await rows().deleteMany({ followingId: channels[2] ?? "" });
    await stores.mongo.db
      .collection<FollowerCountDoc>("follower_counts")
      .insertOne({ _id: `${channels[2]}:3`, followingId: channels[2] ?? "", count: -60 });

    expect(await counted([channels[2] ?? ""])).deep.equal([0]);
    await mend();
    expect(await counted([channels[2] ?? ""])).deep.equal([0]);
  });
});
