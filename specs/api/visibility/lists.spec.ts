import { expect } from "chai";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import type { OperationId } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { image } from "../../support/images.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("visibility: lists", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock(), stores: openOwnStores });

  for (const status of ["banned", "deleted"] as const) {
    it(`shows no channel of a ${status} account, also while its broadcast still ends`, async () => {
      const { owner } = await given.liveChannel();
      const fan = await given.user();
      const star = await given.user();
      for (const [by, whom] of [
        [fan, owner],
        [owner, star],
      ] as const)
        await by.api.ok("followUser", { params: { user_id: whom.id } });
      const query = { q: owner.username };
      const lists = (): Promise<unknown[]> => {
        const read = async (operation: OperationId, options = {}) =>
          JSON.stringify((await fan.api.call(operation, options)).body).includes(owner.id);
        return Promise.all([
          read("listStreams"),
          read("listFollowedStreams"),
          read("getHome"),
          read("search", { query }),
          read("listMyFollowing"),
          read("listFollowing", { params: { username: fan.username } }),
          read("listFollowers", { params: { username: star.username } }),
        ]);
      };
      expect(await lists()).deep.equal(Array(7).fill(true));

      await usersCollection.in(world.core.mongo.db).updateOne({ _id: owner.id }, { $set: { status } });

      expect(await lists()).deep.equal(Array(7).fill(false));
    });

    it(`gives a ${status} account no role and no badge`, async () => {
      const { owner, at } = await given.channel();
      const user = await given.user();
      const badge = await owner.api.ok("addChannelBadge", {
        params: at,
        query: { name: "Regular" },
        ...(await image()),
      });
      await usersCollection.in(world.core.mongo.db).updateOne({ _id: user.id }, { $set: { status } });

      const params = { ...at, user_id: user.id, badge_id: badge.id };
      const answers = [
        await owner.api.call("addModerator", { params }),
        await owner.api.call("addVip", { params }),
        await owner.api.call("grantChannelBadge", { params }),
      ];

      expect(answers.map(({ code }) => code)).deep.equal(Array(3).fill("not_found"));
    });

    it(`shows no ${status} account as a moderator or VIP of a channel`, async () => {
      const { owner, at } = await given.channel();
      const [moderator, vip] = [await given.user(), await given.user()];
      await owner.api.ok("addModerator", { params: { ...at, user_id: moderator.id } });
      await owner.api.ok("addVip", { params: { ...at, user_id: vip.id } });
      const listed = async () => [
        (await owner.api.ok("listModerators", { params: at })).items.map(({ id }) => id),
        (await owner.api.ok("listVips", { params: at })).items.map(({ id }) => id),
      ];
      expect(await listed()).deep.equal([[moderator.id], [vip.id]]);

      await usersCollection
        .in(world.core.mongo.db)
        .updateMany({ _id: { $in: [moderator.id, vip.id] } }, { $set: { status } });

      expect(await listed()).deep.equal([[], []]);
    });
  }
});
