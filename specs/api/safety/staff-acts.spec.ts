import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import type { Person } from "../../support/given-channels.ts";
import { withKey } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("What staff change in a channel", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  let staffed: GivenStaff;
  before(async () => {
    staffed = givenStaff(world, given);
  });

  const linesOf = ({ id }: Person) =>
    world.auditedOf("staff.acted", id).map(({ operation, ids }) => [operation, ids]);

  it("is in the audit log where their role alone lets them, and what they read isn't", async () => {
    const [source, target] = [await given.liveChannel(), await given.liveChannel()];
    const [staff, viewer] = [await staffed.staff(), await given.followerOf(source)];
    const [source_user_id, target_user_id] = [source.owner.id, target.owner.id];
    const reward = await source.owner.api.ok("createReward", { body: { title: "Hydrate", cost: 1 } });
    const redeem = () => viewer.api.ok("redeemReward", { params: { reward_id: reward.id }, body: {} });
    const [one, two] = [await redeem(), await redeem()];

    const raid = await staff.api.ok("createRaid", { body: { source_user_id, target_user_id } });
    await staff.api.ok("getRaidHistory", { params: { raid_id: raid.id } });
    await staff.api.ok("cancelRaid", { params: { raid_id: raid.id } });
    await staff.api.ok("listRedemptions", { query: { channel_user_id: source_user_id } });
    await staff.api.ok("refundRedemption", { params: { redemption_id: one.id } });
    await staff.api.ok("decideRedemptions", { body: { ids: [two.id], action: "fulfil" } });

    expect(linesOf(staff)).deep.equal([
      ["createRaid", `source_user_id=${source_user_id} target_user_id=${target_user_id}`],
      ["cancelRaid", `raid_id=${raid.id}`],
      ["refundRedemption", `redemption_id=${one.id}`],
      ["decideRedemptions", `redemption_id=${two.id}`],
    ]);
  });

  it("isn't there for their own channel, nor what others do", async () => {
    const [staff, target] = [await staffed.staff(), await given.liveChannel()];
    const stream = withKey(await staff.api.ok("getMyStream"));
    await given.goLive({ owner: staff, stream, at: { stream_id: stream.id } });
    const moderator = await given.moderatorOf(target);
    const body = { target_user_id: target.owner.id };

    const raid = await staff.api.ok("createRaid", { body });
    await staff.api.ok("cancelRaid", { params: { raid_id: raid.id } });
    const back = { source_user_id: target.owner.id, target_user_id: staff.id };
    await moderator.api.ok("createRaid", { body: back });

    expect([...linesOf(staff), ...linesOf(moderator)]).deep.equal([]);
  });
});
