import { expect } from "chai";
import { DAY_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import { type RedemptionDoc, redemptionsCollection } from "../../../../store/mongo/points/redemptions.ts";
import { eventually } from "../../../support/eventually.ts";
import { rewardOffer } from "../../../support/reward-offer.ts";
import { openWorld, type World } from "../../host/world.ts";

describe("Redemptions that nobody decided on for thirty days", function () {
  this.timeout(120_000);
  let world: World;
  let stream: StreamDoc;
  before(async () => {
    world = await openWorld();
    stream = await world.stream();
  });
  after(() => world.close());

  function pending(redeemerId: string, n: number): RedemptionDoc {
    const createdAt = new Date(world.clock.now() + n);
    const reward = { _id: newId(), createdAt, ...rewardOffer({ cost: 1 }) };
    return {
      _id: newId(),
      rewardId: reward._id,
      channelUserId: stream.userId,
      streamId: stream._id,
      redeemerId,
      reward,
      userInput: null,
      status: "pending",
      createdAt,
      endedAt: null,
      endedBy: null,
    };
  }

  it("are refunded by one sweep, many of one user and beside those that can't be", async () => {
    const [one, other] = await world.viewers(stream, 2, 1_000);
    if (!one || !other) throw new Error("there are two");
    const docs = Array.from({ length: 280 }, (_, n) => pending(n % 2 === 0 ? one : other, n));
    await redemptionsCollection.in(world.mongo.db).insertMany(docs);
    // The oldest ones have actors that nobody can read, as after a release that was taken back.
    const unreadable = { machine: "redemption", machineVersion: 1, version: 1, snapshot: {}, commits: [] };
    const spoilt = docs
      .slice(0, 210)
      .map(({ _id }) => ({ _id: `redemption:${_id}`, ...unreadable, timers: [] }));
    await world.mongo.db.collection<{ _id: string }>("snapshots").insertMany(spoilt);
    world.move(31 * DAY_MS);

    await world.redemptions.refundExpired();

    const left = await redemptionsCollection.in(world.mongo.db).find({ status: "pending" }).toArray();
    expect(left.map(({ _id }) => _id).sort()).deep.equal(
      docs
        .slice(0, 210)
        .map(({ _id }) => _id)
        .sort(),
    );
    for (const userId of [one, other])
      expect((await world.points.balance(userId, stream.userId)).balance).equal(1_035);
    // What came to be readable is found by a later sweep.
    await world.mongo.db.collection("snapshots").deleteMany({ machine: "redemption", snapshot: {} });
    await eventually(
      async () => {
        await world.redemptions.refundExpired();
        return (await redemptionsCollection.in(world.mongo.db).countDocuments({ status: "pending" })) === 0;
      },
      { withinMs: 60_000 },
    );
  });
});
