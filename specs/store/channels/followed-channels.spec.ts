import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { followedChannelsIn, MAX_FOLLOWS_READ } from "../../../store/mongo/channels/followed-channels.ts";
import { followsCollection } from "../../../store/mongo/channels/follows.ts";
import { WHILE_LIVE } from "../../../store/mongo/channels/stream-positions.ts";
import { streamsCollection } from "../../../store/mongo/channels/streams.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import type { Stores } from "../../support/stores.ts";
import { streamDoc } from "../../support/stream-doc.ts";

const NOW = new Date();

describe("the channels that somebody follows", function () {
  this.timeout(60_000);
  let stores: Stores;
  before(async () => {
    stores = await openOwnStores();
  });
  after(() => stores.close());

  it("have each its place, also of who follows more than are looked at", async () => {
    const { db } = stores.mongo;
    const me = newId();
    const channels = Array.from({ length: MAX_FOLLOWS_READ + 30 }, () => newId());
    await followsCollection.in(db).insertMany(
      channels.map((followingId, n) => ({
        _id: `${me}:${followingId}`,
        id: newId(),
        followerId: me,
        followingId,
        createdAt: new Date(NOW.getTime() - n),
      })),
    );
    const live = [7, MAX_FOLLOWS_READ - 100, MAX_FOLLOWS_READ + 3].map((n) => channels[n] ?? "");
    const place = { since: NOW, until: WHILE_LIVE };
    await streamsCollection
      .in(db)
      .insertMany(
        live.map((userId, n) =>
          streamDoc({ userId, isLive: true, place: { ...place, ranks: { even: n, odd: n } } }),
        ),
      );
    const followed = followedChannelsIn(db);
    const read = async (order: "viewers" | "newest follow") => {
      const seen: string[] = [];
      for (let skip = 0; skip < channels.length + 100; skip += 100) {
        const { ids, total } = await followed.pageLiveFirst({ followerId: me, order, now: NOW }, skip, 100);
        expect(total).equal(channels.length);
        seen.push(...ids);
      }
      return seen;
    };

    const byAge = await read("newest follow");
    expect(byAge.slice(0, 3)).deep.equal([live[0], live[1], channels[0]]);
    expect(byAge.slice(MAX_FOLLOWS_READ)).deep.equal(channels.slice(MAX_FOLLOWS_READ));
    expect(byAge.toSorted()).deep.equal(channels.toSorted());
    const byViewers = await read("viewers");
    expect(byViewers.slice(0, 3)).deep.equal([live[1], live[0], channels[0]]);
    expect(byViewers.toSorted()).deep.equal(channels.toSorted());
    expect(await followed.live(me, 1, NOW)).deep.equal([live[1]]);
  });
});
