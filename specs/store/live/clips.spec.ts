import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { clipLikesIn } from "../../../store/mongo/live/clip-likes.ts";
import { clipListsIn } from "../../../store/mongo/live/clip-lists.ts";
import { clipProductionIn } from "../../../store/mongo/live/clip-production.ts";
import { type ClipDoc, clipsCollection, clipsIn, dayOf } from "../../../store/mongo/live/clips.ts";
import { scoreOfNew, weightOfLike, weightOfViews } from "../../../store/mongo/live/trending-score.ts";
import { videosIn } from "../../../store/mongo/live/videos.ts";
import { daysOfClips } from "../../../store/mongo/schema/migrations/0007-days-of-clips.ts";
import { clipDoc } from "../../support/clip-doc.ts";
import { completed, openStores, type Stores } from "../../support/stores.ts";
import { isServed } from "../plans/query-plans.ts";

const DAY = 86_400_000;

type Hint = Record<string, 1 | -1>;

describe("clips in the store", () => {
  let stores: Stores;
  let mongo: Mongo;
  before(async () => {
    stores = await openStores();
    mongo = stores.mongo;
    await completed(mongo);
  });
  after(() => stores.close());

  async function clip(createdAt: Date, more: Partial<ClipDoc> = {}): Promise<string> {
    const doc = clipDoc({ createdAt, ...more });
    await clipsIn(mongo.db).insert(doc);
    return doc._id;
  }
  const scoreOf = async (id: string) =>
    (await clipsCollection.in(mongo.db).findOne({ _id: id }))?.score ?? Number.NaN;
  const views = (id: string, count: number, at: Date) =>
    inTransaction(mongo.client, (session) =>
      clipsIn(mongo.db).countViews([{ id, count, weight: weightOfViews(count, at) }], session),
    );
  const like = (id: string, by: 1 | -1, at: Date) =>
    inTransaction(mongo.client, (session) => clipsIn(mongo.db).like(id, by, weightOfLike(at), session));

  it("trend by a sum in which each day counts half as much as the next", async () => {
    const begun = new Date("2026-03-01T00:00:00Z");
    const later = new Date(begun.getTime() + 3 * DAY);
    const id = await clip(begun);

    await views(id, 7, begun);
    await views(id, 5, later);
    await like(id, 1, later);

    // As seen from `later`: one for being made and seven views three days ago, five views and a like of now.
    const sum = (1 + 7) / 8 + 5 + 4;
    expect(await scoreOf(id)).closeTo(later.getTime() / DAY + Math.log2(sum), 1e-6);
    await like(id, -1, later);
    expect(await scoreOf(id)).closeTo(later.getTime() / DAY + Math.log2(sum - 4), 1e-6);
    // Never less than a new one, whatever is taken away.
    for (let n = 0; n < 3; n++) await like(id, -1, later);
    expect(await scoreOf(id)).gte(scoreOfNew(begun));
  });

  it("of before have their day after the migration", async () => {
    const createdAt = new Date("2026-03-01T23:59:59.999Z");
    const doc = clipDoc({ createdAt });
    await clipsCollection.in(mongo.db).insertOne(doc);

    await daysOfClips.run(mongo.db);

    expect((await clipsIn(mongo.db).find(doc._id))?.madeOn).equal(dayOf(createdAt));
  });

  it("and past broadcasts are found by an index, in their order, without sorting", async () => {
    const [me, channelUserId] = [newId(), newId()];
    for (let n = 0; n < 30; n++) {
      await clip(new Date(), { isListed: n % 3 > 0, ...(n % 2 ? { userId: me } : { channelUserId }) });
    }
    const watching = await connectMongo({
      url: process.env.MONGODB_URL ?? "",
      database: mongo.db.databaseName,
      selectionTimeoutMs: 5_000,
      maxPoolSize: 2,
      monitorCommands: true,
    });
    const now = new Date();
    const lastMonth = { since: new Date(now.getTime() - 30 * DAY), now };
    const finds: { find: string; filter: object; sort?: Record<string, 1 | -1>; hint?: Hint }[] = [];
    watching.client.on("commandStarted", ({ commandName, command }) => {
      const { find, filter, sort, hint } = command;
      if (commandName === "find") finds.push({ find, filter, sort, hint });
    });
    const plans: string[] = [];
    try {
      const clips = clipsIn(watching.db);
      const lists = clipListsIn(watching.db);
      for (const order of ["trending", "recent", "views"] as const) {
        for (const viewerId of [null, me, channelUserId]) {
          for (const of of [null, channelUserId]) {
            const list = { order, viewerId, channelUserId: of };
            await lists.pageOf({ ...list, period: lastMonth }, { skip: 0, limit: 2 });
            await lists.pageOf({ ...list, period: null }, { skip: 0, limit: 2 });
          }
        }
      }
      await clips.someOf(me, 10);
      await clipLikesIn(watching.db).someOf(me, 10);
      for (const isOwner of [true, false])
        await videosIn(watching.db).pageOf(me, isOwner, { skip: 0, limit: 2 });
      for (const { find, filter, sort = {}, hint } of finds) {
        const options = hint ? { hint } : {};
        const explained = await mongo.db.collection(find).find(filter, options).sort(sort).limit(2).explain();
        plans.push(JSON.stringify(explained.queryPlanner.winningPlan));
      }
      await isServed({ mongo: watching }, () => clipProductionIn(watching.db).due(new Date(), 10), 10);
    } finally {
      await watching.close();
    }
    expect(plans).length(3 * 3 * 2 * 2 + 3 * 2 * 6 + 4);
    for (const [n, plan] of plans.entries()) {
      expect(plan, JSON.stringify(finds[n])).match(/IXSCAN/);
      expect(plan, JSON.stringify(finds[n])).not.match(/"SORT"|"COLLSCAN"/);
    }
  });
});
