import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { migrate } from "../../../store/mongo/schema/migrate.ts";
import { matureClips } from "../../../store/mongo/schema/migrations/0012-mature-clips.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openStores, type Stores } from "../../support/stores.ts";

describe("migration of mature clips", () => {
  let stores: Stores;
  beforeEach(async () => {
    stores = await openStores(`livecore_spec_mature_${process.pid}_${newId().slice(-6)}`);
  });
  afterEach(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });

  it("marks the clips of mature channels, and leaves those that say what they are", async () => {
    await migrate(stores.mongo, { clock: { now: () => 1_700_000_000_000 }, log: quietLog() });
    const { db } = stores.mongo;
    const stream = (userId: string, isMature: boolean, n: number) => {
      return { _id: userId as never, userId, isMature, roomId: n, streamKeyHash: userId };
    };
    await db.collection("streams").insertMany([stream("adult", true, 1), stream("all", false, 2)]);
    const clips = [
      { _id: "1", channelUserId: "adult" },
      { _id: "2", channelUserId: "adult", isMature: false },
      { _id: "3", channelUserId: "all" },
    ];
    await db.collection<(typeof clips)[number]>("clips").insertMany(clips);

    await matureClips.run(db);
    await matureClips.run(db);

    const found = await db.collection("clips").find().sort({ _id: 1 }).toArray();
    expect(found.map(({ isMature }) => isMature)).deep.equal([true, false, undefined]);
  });
});
