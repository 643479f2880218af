import { expect } from "chai";
import { channelSource } from "../../../../actors/channels/room-changes.ts";
import { blocksCollection } from "../../../../store/mongo/channels/blocks.ts";
import { membershipsAcrossBlocks } from "../../../../store/mongo/schema/migrations/0010-memberships-across-blocks.ts";
import { movableClock } from "../../../support/clock.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { image } from "../../../support/images.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";
import { givenStaffMember } from "../../../support/two-factor.ts";

describe("blocks between a channel's owner and its members", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });

  const block = (by: Person, other: Person) => by.api.ok("blockUser", { params: { user_id: other.id } });
  const unblock = (by: Person, other: Person) => by.api.ok("unblockUser", { params: { user_id: other.id } });
  const on = ({ at }: Channel, { id }: Person) => ({ params: { ...at, user_id: id } });
  const roleOf = async ({ at }: Channel, { api }: Person) =>
    (await api.ok("getChatRoom", { params: at })).role;

  async function badgeOf({ owner, at }: Channel): Promise<string> {
    const upload = { query: { name: "Founder" }, ...(await image()) };
    return (await owner.api.ok("addChannelBadge", { params: at, ...upload })).id;
  }
  const badgesOf = async ({ username }: Person) =>
    (await world.api.ok("listUserBadges", { params: { username } })).total;

  let texts = 0;
  async function sent({ at }: Channel, { api }: Person): Promise<string> {
    world.clock.move(1_500);
    const answer = await api.call("sendChatMessage", { params: at, body: { content: `text ${++texts}` } });
    return answer.code ?? "success";
  }

  for (const blocker of ["owner", "member"] as const) {
    const apart = async ({ owner }: Channel, member: Person) =>
      blocker === "owner" ? block(owner, member) : block(member, owner);

    it(`refuses a role and a badge after a block by the ${blocker}`, async () => {
      const channel = await given.channel();
      const member = await given.user();
      const badge_id = await badgeOf(channel);
      await apart(channel, member);

      const { params } = on(channel, member);
      const answers = [
        await channel.owner.api.call("addModerator", { params }),
        await channel.owner.api.call("addVip", { params }),
        await channel.owner.api.call("grantChannelBadge", { params: { ...params, badge_id } }),
        await channel.owner.api.call("runChatCommand", {
          params: channel.at,
          body: { command: `/mod ${member.username}` },
        }),
      ];

      expect(answers.map(({ code }) => code)).deep.equal(Array(4).fill("blocked"));
      expect([await roleOf(channel, member), await badgesOf(member)]).deep.equal([null, 0]);
    });

    it(`takes a role and a badge back by a block by the ${blocker}`, async () => {
      const channel = await given.channel();
      const [moderator, vip] = [await given.moderatorOf(channel), await given.vipOf(channel)];
      const badge_id = await badgeOf(channel);
      const { params } = on(channel, moderator);
      await channel.owner.api.ok("grantChannelBadge", { params: { ...params, badge_id } });

      await apart(channel, moderator);
      await apart(channel, vip);

      expect([await roleOf(channel, moderator), await roleOf(channel, vip)]).deep.equal([null, null]);
      expect(await badgesOf(moderator)).equal(0);
      const modes = { params: channel.at, body: { slow: 5 } };
      expect((await moderator.api.call("updateChatSettings", modes)).code).equal("forbidden");
      const { items } = await channel.owner.api.ok("listModerationActions", { params: channel.at });
      expect(items.slice(0, 2).map(({ action, target }) => [action, target?.id])).deep.equal([
        ["unvip", vip.id],
        ["unmod", moderator.id],
      ]);
    });
  }

  it("gives a role no effect beside a block from before roles were taken back", async () => {
    const channel = await given.channel();
    const moderator = await given.moderatorOf(channel);
    const [blockerId, blockedId] = [channel.owner.id, moderator.id];
    const old = { _id: `${blockerId}:${blockedId}`, blockerId, blockedId, createdAt: new Date(0) };
    await blocksCollection.in(world.core.mongo.db).insertOne(old);

    const modes = { params: channel.at, body: { slow: 5 } };
    expect((await moderator.api.call("updateChatSettings", modes)).code).equal("forbidden");
    expect(await roleOf(channel, moderator)).equal(null);
  });

  it("ends roles and badges beside blocks of earlier releases by a migration, in both directions", async () => {
    const { db } = world.core.mongo;
    const channel = await given.channel();
    const moderators = [await given.moderatorOf(channel), await given.moderatorOf(channel)] as const;
    const [blocked, blocking] = moderators;
    const vip = await given.vipOf(channel);
    const badge_id = await badgeOf(channel);
    for (const member of [blocked, vip]) {
      const { params } = on(channel, member);
      await channel.owner.api.ok("grantChannelBadge", { params: { ...params, badge_id } });
    }
    const pairs = [[channel.owner.id, blocked.id] as const, [blocking.id, channel.owner.id] as const];
    const old = pairs.map(([blockerId, blockedId]) => ({
      _id: `${blockerId}:${blockedId}`,
      blockerId,
      blockedId,
      createdAt: new Date(0),
    }));
    await blocksCollection.in(db).insertMany(old);

    const rolesInRoom = () =>
      Promise.all(
        [blocked, blocking, vip].map(
          async ({ id }) => (await world.core.rooms.memberState(channel.at.stream_id, id)).role,
        ),
      );
    expect(await rolesInRoom()).deep.equal(["moderator", "moderator", "vip"]);

    await membershipsAcrossBlocks.run(db);
    await membershipsAcrossBlocks.run(db);
    await world.core.outbox.publish(channelSource(channel.at.stream_id));

    expect(await rolesInRoom()).deep.equal([null, null, "vip"]);
    expect((await channel.owner.api.ok("listModerators", { params: channel.at })).total).equal(0);
    expect([await badgesOf(blocked), await badgesOf(vip)]).deep.equal([0, 1]);
    expect(await roleOf(channel, vip)).equal("vip");
    // Nor are they back once the block is lifted.
    await unblock(channel.owner, blocked);
    expect(await roleOf(channel, blocked)).equal(null);
  });

  it("leaves no role where a block and its grant happen at once", async () => {
    const channel = await given.channel();
    for (let i = 0; i < 5; i++) {
      const member = await given.user();
      await Promise.all([
        channel.owner.api.call("addModerator", on(channel, member)),
        block(channel.owner, member),
      ]);

      expect(await roleOf(channel, member)).equal(null);
    }
  });

  it("lets a blocked viewer read, but not write, from the next message on", async () => {
    const channel = await given.channel();
    const [viewer, staff] = [await given.user(), await given.user()];
    await givenStaffMember(world.core, staff);
    expect([await sent(channel, viewer), await sent(channel, staff)]).deep.equal(["success", "success"]);

    await block(channel.owner, viewer);
    await block(channel.owner, staff);

    // Staff write as anybody does: otherwise it would show who they are.
    expect([await sent(channel, viewer), await sent(channel, staff)]).deep.equal(["blocked", "blocked"]);
    expect((await viewer.api.ok("listChatMessages", { params: channel.at })).items).length(2);
    await unblock(channel.owner, viewer);
    expect(await sent(channel, viewer)).equal("success");
  });

  it("lets a viewer who has blocked the owner write", async () => {
    const channel = await given.channel();
    const viewer = await given.user();

    await block(viewer, channel.owner);

    expect(await sent(channel, viewer)).equal("success");
  });
});
