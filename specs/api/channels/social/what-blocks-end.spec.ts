import { expect } from "chai";
import { raidMembersIn } from "../../../../store/mongo/raids/raid-members.ts";
import { movableClock } from "../../../support/clock.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

/** Who of the two blocks the other one. */
type Blocker = "the first" | "the other";
const BOTH_WAYS: readonly Blocker[] = ["the first", "the other"];

describe("what a block keeps apart, whichever of the two blocks", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });

  const block = (first: Person, other: Person, blocker: Blocker) =>
    blocker === "the first"
      ? first.api.ok("blockUser", { params: { user_id: other.id } })
      : other.api.ok("blockUser", { params: { user_id: first.id } });
  const raid = ({ owner }: Channel, target: Channel) =>
    owner.api.call("createRaid", { body: { target_user_id: target.owner.id } });

  for (const blocker of BOTH_WAYS) {
    describe(`blocks: ${blocker}`, () => {
      it("a follow", async () => {
        const [first, other] = [await given.user(), await given.user()];
        await block(first, other, blocker);

        const answer = await first.api.call("followUser", { params: { user_id: other.id } });
        expect(answer).include({ status: 403, code: "blocked" });
      });

      it("hosting", async () => {
        const [first, other] = [await given.channel(), await given.liveChannel()];
        await block(first.owner, other.owner, blocker);

        const answer = await first.owner.api.call("hostChannel", {
          body: { target_user_id: other.owner.id },
        });
        expect(answer).include({ status: 403, code: "blocked" });
      });

      it("a raid, without a word of why", async () => {
        const [first, other] = [await given.liveChannel(), await given.liveChannel()];
        await block(first.owner, other.owner, blocker);

        expect(await raid(first, other)).include({ status: 403, code: "raid_not_accepted" });
      });

      it("a raid that is waiting to go", async () => {
        const [first, other] = [await given.liveChannel(), await given.liveChannel()];
        const { id } = await first.owner.api.ok("createRaid", { body: { target_user_id: other.owner.id } });
        await block(first.owner, other.owner, blocker);
        world.clock.move(10_000);

        const answer = await first.owner.api.call("startRaid", { params: { raid_id: id } });
        expect(answer).include({ status: 403, code: "raid_not_accepted" });
      });

      it("being taken along by somebody else's raid", async () => {
        const [source, target] = [await given.liveChannel(), await given.liveChannel()];
        const [viewer, friend] = [await given.user(), await given.user()];
        await block(viewer, target.owner, blocker);
        const { id } = await source.owner.api.ok("createRaid", { body: { target_user_id: target.owner.id } });
        await world.core.raids.membersCame(id, [viewer.id, friend.id], "a worker of specs");

        expect([...(await world.core.raids.optedOut(id))]).deep.equal([viewer.id]);
        expect(await raidMembersIn(world.core.mongo.db).count(id)).equal(1);
        const at = { params: { raid_id: id } };
        expect(await viewer.api.call("joinRaid", at)).include({ status: 403, code: "blocked" });
        await friend.api.ok("joinRaid", at);
      });

      it("a subscription, a gift and a tip", async () => {
        const [first, other, channel] = [await given.user(), await given.user(), await given.channel()];
        await block(first, other, blocker);
        const refused = { status: 403, code: "blocked" };

        const subscribe = { body: { channel_user_id: other.id, tier: 1 as const } };
        expect(await first.api.call("createSubscriptionCheckout", subscribe)).include(refused);
        const gift = { channel_user_id: channel.owner.id, tier: 1 as const, gift_to_user_id: other.id };
        expect(await first.api.call("createSubscriptionCheckout", { body: gift })).include(refused);
        const tip = { to_user_id: other.id, amount_cents: 500, currency: "USD" };
        expect(await first.api.call("createTipCheckout", { body: tip })).include(refused);
      });
    });
  }
});
