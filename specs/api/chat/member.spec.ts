import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("a moderator's view of one member", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  beforeEach(async () => {
    channel = await given.channel();
  });

  const at = ({ id }: Person) => ({ params: { ...channel.at, user_id: id } });
  const say = async ({ api }: Person, content: string, { at } = channel) => {
    clock.move(2_000);
    return api.ok("sendChatMessage", { params: at, body: { content } });
  };

  it("has points, age of the follow, lines and acts, all of this channel alone", async () => {
    const [moderator, elsewhere] = [await given.moderatorOf(channel), await given.channel()];
    const fan = await given.followerOf(channel);
    await fan.api.ok("followUser", { params: { user_id: elsewhere.owner.id } });
    await say(fan, "first");
    await say(moderator, "by another");
    await say(fan, "elsewhere", elsewhere);
    const { uuid } = await say(fan, "second");
    await moderator.api.ok("deleteChatMessage", { params: { ...channel.at, uuid } });
    await moderator.api.ok("timeoutUser", { ...at(fan), body: { duration_seconds: 60, reason: "loud" } });

    const member = await eventually(async () => {
      const found = await moderator.api.ok("getChatMember", at(fan));
      expect(found.messages.map(({ content, is_deleted }) => [content, is_deleted])).deep.equal([
        ["first", false],
        ["", true],
      ]);
      return found;
    });

    expect(member).include({ role: null, balance: 300, lifetime_earned: 300 });
    expect(member.user).include({ id: fan.id, username: fan.username });
    expect(member.restriction).include({ type: "timeout", reason: "loud" });
    expect(Date.parse(member.followed_at ?? "")).at.most(clock.now());
    expect(member.actions.map(({ action }) => action)).deep.equal(["timeout", "delete_message"]);
  });

  it("has the newest 50 messages, newest last, and the newest 50 acts, newest first", async () => {
    const [moderator, fan] = [await given.moderatorOf(channel), await given.followerOf(channel)];
    for (let n = 1; n <= 52; n++) {
      await say(fan, `line ${n}`);
      const body = { duration_seconds: 1, reason: `act ${n}` };
      await moderator.api.ok("timeoutUser", { ...at(fan), body });
    }
    const newest = Array.from({ length: 50 }, (_, n) => n + 3);

    await eventually(async () => {
      const { messages, actions } = await moderator.api.ok("getChatMember", at(fan));
      expect(messages.map(({ content }) => content)).deep.equal(newest.map((n) => `line ${n}`));
      expect(actions.map(({ reason }) => reason)).deep.equal(newest.map((n) => `act ${n}`).reverse());
    });
  });

  it("doesn't show who is staff, and says null for what there isn't", async () => {
    const staff = await givenStaff(world, given).staff();
    const { user, ...member } = await channel.owner.api.ok("getChatMember", at(staff));
    expect(user.id).equal(staff.id);
    expect(member).deep.equal({
      role: null,
      restriction: null,
      followed_at: null,
      balance: 0,
      lifetime_earned: 0,
      messages: [],
      actions: [],
    });
    const vip = await given.vipOf(channel);
    expect((await channel.owner.api.ok("getChatMember", at(vip))).role).equal("vip");
  });

  it("refuses viewers, VIPs and tokens without chat:moderate", async () => {
    const viewer = await given.user();
    const { token } = await channel.owner.api.ok("createApiToken", {
      body: { name: "bot", scopes: ["chat:read"] },
    });
    for (const { api } of [viewer, await given.vipOf(channel)])
      expect((await api.call("getChatMember", at(viewer))).code).equal("forbidden");
    expect((await world.api.as({ token }).call("getChatMember", at(viewer))).code).equal(
      "insufficient_scope",
    );
  });
});
