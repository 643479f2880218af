import { expect } from "chai";
import { createHost } from "../../../../actors/host/host.ts";
import {
  type RedemptionDefinition,
  redemptionDefinition,
} from "../../../../actors/points/redemption/definition.ts";
import { newId } from "../../../../base/ids.ts";
import { inTransaction } from "../../../../store/mongo/driver/transaction.ts";
import { redemptionsIn } from "../../../../store/mongo/points/redemptions.ts";
import { codeOf } from "../../../support/code-of.ts";
import { rewardOffer } from "../../../support/reward-offer.ts";
import { expectAgreement } from "../../host/agreement.ts";
import { expectSoundLedger } from "../../host/invariants.ts";
import { openWorld, type World } from "../../host/world.ts";

describe("redemptions in several processes at once", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const offer = rewardOffer();

  it("keep no id of a redeemer who is erased between being read and being decided", async () => {
    const stream = await world.stream();
    const [viewer, nobody] = [await world.user(), newId()];
    await world.give(viewer, stream, 100);
    const by = stream.userId;
    const { _id: rewardId } = await world.rewards.create({ stream, offer, by });
    const { redemption } = await world.rewards.redeem({ rewardId, userId: viewer, userInput: null });
    const { db, client } = world.mongo;
    const rows = redemptionsIn(db);
    const moved = { $set: { redeemerId: nobody } };
    await db.collection<{ _id: string }>("redemptions").updateOne({ _id: redemption._id }, moved);

    expect(await codeOf(world.redemptions.refund(redemption, by))).equal("not_found");
    const { _id, redeemerId } = redemption;
    const end = { _id, redeemerId, status: "refunded" as const, endedAt: new Date(), endedBy: by };
    expect(await inTransaction(client, (session) => rows.end([end], session))).equal(false);

    const read = await world.redemptions.require(_id);
    expect(await codeOf(world.redemptions.refund(read, by))).equal("ok");
    const snapshot = await db.collection<{ _id: string }>("snapshots").findOne({ _id: `redemption:${_id}` });
    expect(JSON.stringify(snapshot)).include(nobody).not.include(viewer);
  });

  it("end once each when their reward is deleted while they are decided", async () => {
    const rival = world.rival();
    for (let round = 0; round < 4; round++) {
      const stream = await world.stream();
      const viewer = await world.user();
      await world.give(viewer, stream, 1_000);
      const by = stream.userId;
      const { _id: rewardId } = await world.rewards.create({ stream, offer, by });
      const redeem = () => world.rewards.redeem({ rewardId, userId: viewer, userInput: null });
      const bought = await Promise.all(Array.from({ length: 20 }, redeem));

      const deleted = world.rewards.delete(rewardId, by);
      const decided = bought.map(({ redemption }, i) =>
        codeOf(rival.redemptions[i % 2 === 0 ? "fulfil" : "refund"](redemption, by)),
      );
      await deleted;
      const outcomes = await Promise.all(decided);
      await world.settled();
      await rival.host.idle();

      const ended = await world.redemptions.findMany(bought.map(({ redemption }) => redemption._id));
      const statuses = new Map(ended.map(({ _id, status }) => [_id, status]));
      for (const [i, { redemption }] of bought.entries()) {
        const status = outcomes[i] === "ok" && i % 2 === 0 ? "fulfilled" : "refunded";
        expect(statuses.get(redemption._id), `${outcomes[i]} of round ${round}`).equal(status);
        expect(outcomes[i]).oneOf(["ok", "invalid_state"]);
      }
      await expectSoundLedger(world.mongo.db, by);
    }
    await expectAgreement(world.mongo.db);
  }).timeout(60_000);

  it("aren't decided on what was read before their reward was deleted", async () => {
    const stream = await world.stream();
    const viewer = await world.user();
    await world.give(viewer, stream, 100);
    const by = stream.userId;
    const { _id: rewardId } = await world.rewards.create({ stream, offer, by });
    const { redemption } = await world.rewards.redeem({ rewardId, userId: viewer, userInput: null });
    const real = redemptionDefinition(world.mongo.db);
    let isFirst = true;
    const late: RedemptionDefinition = {
      ...real,
      async prepare(batch) {
        const reads = await real.prepare(batch);
        if (isFirst) await world.rewards.delete(rewardId, by);
        await world.settled();
        isFirst = false;
        return reads;
      },
    };
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [late] });
    const input = { rewardId, redeemerId: viewer, boughtAt: redemption.createdAt.getTime() };

    const reply = await host.ask(late, redemption._id, { type: "fulfil" }, { by, input });

    expect(reply).deep.equal({
      ok: false,
      refusal: { code: "invalid_state", details: { status: "refunded" } },
    });
    expect(await world.points.balance(viewer, by)).include({ balance: 100 });
    await host.stop();
  });

  it("are never more than the reward allows, nor cost more than there is", async () => {
    const rival = world.rival();
    const stream = await world.stream();
    const viewers = await Promise.all(Array.from({ length: 5 }, () => world.user()));
    for (const id of viewers) await world.give(id, stream, 35);
    const limited = { ...offer, maxPerStream: 12, maxPerUserPerStream: 3 };
    const { _id: rewardId } = await world.rewards.create({ stream, offer: limited, by: stream.userId });

    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        codeOf(
          (i % 2 === 0 ? world : rival).rewards.redeem({
            rewardId,
            userId: viewers[i % 5] ?? "",
            userInput: null,
          }),
        ),
      ),
    );

    expect(outcomes.filter((one) => one === "ok")).length(12);
    expect(outcomes.filter((one) => one === "redemption_limit")).length(28);
    await expectSoundLedger(world.mongo.db, stream.userId);
  }).timeout(30_000);
});
