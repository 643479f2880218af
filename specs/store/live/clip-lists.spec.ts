import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import {
  type ClipList,
  type ClipOrder,
  clipListsIn,
  MAX_LISTED,
} from "../../../store/mongo/live/clip-lists.ts";
import { type ClipDoc, clipsCollection, dayOf } from "../../../store/mongo/live/clips.ts";
import { clipDoc } from "../../support/clip-doc.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { isServed } from "../plans/query-plans.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = new Date();
const ORDERS = ["trending", "recent", "views"] as const;
const [me, channel] = [newId(), newId()];

const last = (ms: number) => ({ since: new Date(NOW.getTime() - ms), now: NOW });

describe("lists of clips in the store", function () {
  this.timeout(60_000);
  let own: Stores;
  let stores: Stores;
  beforeEach(async () => {
    own = await openOwnStores();
    stores = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
  });
  afterEach(async () => {
    await stores.close();
    await own.close();
  });

  async function given(docs: ClipDoc[]): Promise<void> {
    const stored = docs.map((doc) => ({ ...doc, madeOn: dayOf(doc.createdAt) }));
    await clipsCollection.in(stores.mongo.db).insertMany(stored);
  }
  const pageOf = (list: ClipList, skip: number, limit: number) =>
    clipListsIn(stores.mongo.db).pageOf(list, { skip: skip, limit: limit });
  const all = (order: ClipOrder, more: Partial<ClipList> = {}): ClipList => ({
    order,
    channelUserId: null,
    viewerId: null,
    period: null,
    ...more,
  });

  /** Some of the viewer's, some of the viewer's channel, some of another one's, every third not listed; many alike. */
  const mixed = Array.from({ length: 90 }, (_, n) =>
    clipDoc({
      userId: n % 2 ? me : newId(),
      channelUserId: [me, channel, newId()][n % 5] ?? newId(),
      isListed: n % 3 > 0,
      viewsCount: n % 7,
      score: n % 11,
      createdAt: new Date(NOW.getTime() - ((n * 5) % 45) * DAY - HOUR),
    }),
  );

  /** As one goes through all of them. */
  function expected({ order, channelUserId, viewerId, period }: ClipList): string[] {
    const place = { trending: "score", recent: "createdAt", views: "viewsCount" } as const;
    const value = (doc: ClipDoc) => Number(doc[place[order]]);
    return mixed
      .filter((doc) => channelUserId === null || doc.channelUserId === channelUserId)
      .filter((doc) => doc.isListed || [doc.userId, doc.channelUserId].includes(viewerId ?? ""))
      .filter(({ createdAt }) => period === null || createdAt >= period.since)
      .sort((a, b) => value(b) - value(a) || (a._id < b._id ? 1 : -1))
      .map(({ _id }) => _id);
  }

  it("have each clip once and in order, page by page, also what isn't listed among what is", async () => {
    await given(mixed);
    for (const order of ORDERS) {
      for (const viewerId of [null, me]) {
        for (const channelUserId of [null, me, channel]) {
          for (const period of [null, last(DAY), last(30 * DAY)]) {
            const list = { order, viewerId, channelUserId, period };
            const wanted = expected(list);
            const pages = await Promise.all(
              Array.from({ length: Math.ceil(wanted.length / 7) + 1 }, (_, n) => pageOf(list, n * 7, 7)),
            );
            expect(pages.flatMap(({ items }) => items.map(({ _id }) => _id))).deep.equal(wanted);
            expect(pages.map(({ total }) => total)).deep.equal(pages.map(() => wanted.length));
          }
        }
      }
    }
  });

  it("of a period look at no more clips than they show, but for those of the day on which it begins", async () => {
    const hours = 24 * 60;
    // The older they are the more have watched them.
    const docs = Array.from({ length: hours }, (_, n) =>
      clipDoc({ viewsCount: n, createdAt: new Date(NOW.getTime() - n * HOUR) }),
    );
    await given(docs);
    for (const period of [null, last(DAY), last(7 * DAY), last(30 * DAY)]) {
      for (const viewerId of [null, me]) {
        await isServed(stores, () => pageOf(all("views", { period, viewerId }), 2, 5), 24 + 7);
      }
    }
    await isServed(stores, () => pageOf(all("recent", { period: last(DAY) }), 2, 5), 7);
  });

  it("look at no more of what isn't listed than a page may show, however much there is", async () => {
    await given(Array.from({ length: 1_100 }, () => clipDoc({ userId: me, isListed: false })));

    await isServed(stores, () => pageOf(all("recent", { viewerId: me }), 2, 5), 8);
    const { items, total } = await pageOf(all("recent", { viewerId: me }), 996, 5);
    expect([items.length, total]).deep.equal([4, 1_000]);
  });

  it("end after the first ten thousand, which are all that is counted", async () => {
    await given(Array.from({ length: MAX_LISTED + 20 }, () => clipDoc()));

    for (const order of ORDERS) {
      const { items, total } = await pageOf(all(order), MAX_LISTED - 3, 24);
      expect([items.length, total]).deep.equal([3, MAX_LISTED]);
      const beyond = await pageOf(all(order, { viewerId: me }), MAX_LISTED, 24);
      expect([beyond.items, beyond.total]).deep.equal([[], total]);
    }
  });
});
