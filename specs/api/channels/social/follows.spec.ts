import { expect } from "chai";
import { factsOf } from "../../../actors/notifications/expected-facts.ts";
import { movableClock } from "../../../support/clock.ts";
import { withKey } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("follows", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("are one however often they are requested, also at once", async () => {
    const { owner, at } = await given.channel();
    const viewer = await given.user();
    const follow = () => viewer.api.ok("followUser", { params: { user_id: owner.id } });

    const [first, ...others] = await Promise.all([follow(), follow(), follow()]);
    others.push(await follow());

    for (const other of others) expect(other).deep.equal(first);
    expect(first).include({ follower_id: viewer.id, following_id: owner.id });
    expect(first?.following.stream.id).equal(at.stream_id);
    const profile = await viewer.api.ok("getPublicProfile", { params: { username: owner.username } });
    expect(profile).include({ follower_count: 1, is_following: true });
  });

  it("earn 300 points the first time, once for life, which is also when the channel is notified", async () => {
    const { owner } = await given.channel();
    const viewer = await given.user();
    const params = { user_id: owner.id };

    for (let round = 0; round < 2; round++) {
      await viewer.api.ok("followUser", { params });
      await viewer.api.ok("unfollowUser", { params });
      await viewer.api.ok("unfollowUser", { params });
    }

    expect(await viewer.api.ok("getPoints", { params })).include({ balance: 300, lifetime_earned: 300 });
    const { items } = await viewer.api.ok("getPointsLedger", { params });
    expect(items.map(({ delta, reason }) => [delta, reason])).deep.equal([[300, "follow"]]);
    expect((await viewer.api.ok("listMyFollowing")).total).equal(0);
    const facts = await factsOf(world.core.mongo.db, owner.id);
    expect(facts.map(({ type, data }) => [type, data])).deep.equal([["follower", { followerId: viewer.id }]]);
  });

  it("let somebody speak in a room for followers, and no longer than they last", async () => {
    const { owner, at } = await given.liveChannel();
    await owner.api.ok("updateChatSettings", { params: at, body: { followers_only: 0 } });
    const fan = await given.followerOf({ owner, at, stream: withKey(await owner.api.ok("getMyStream")) });
    const say = async (content: string) => {
      world.clock.move(1_000);
      return (await fan.api.call("sendChatMessage", { params: at, body: { content } })).status;
    };
    expect([await say("one"), await say("two")]).deep.equal([201, 201]);

    await fan.api.ok("unfollowUser", { params: { user_id: owner.id } });

    expect(await say("three")).equal(403);
  });

  it("are listed with live channels first, then the newest", async () => {
    const viewer = await given.user();
    const [live, older, newer] = [await given.liveChannel(), await given.channel(), await given.channel()];
    for (const { owner } of [live, older, newer]) {
      await viewer.api.ok("followUser", { params: { user_id: owner.id } });
      world.clock.move(1_000);
    }

    const page = await viewer.api.ok("listMyFollowing", { query: { per_page: 2 } });
    const rest = await viewer.api.ok("listMyFollowing", { query: { per_page: 2, page: 2 } });

    const followed = [...page.items, ...rest.items].map((item) => item.following_id);
    expect(followed).deep.equal([live, newer, older].map(({ owner }) => owner.id));
    expect(page.items[0]?.following.stream.is_live).equal(true);
    expect([page.has_more, rest.has_more, page.total]).deep.equal([true, false, 3]);
  });

  it("keep their notifications however often they are requested, and lose them with their end", async () => {
    const { owner } = await given.channel();
    const viewer = await given.user();
    const at = { params: { user_id: owner.id } };
    const none = { ...at, body: { notifications: "none" as const } };
    expect(await viewer.api.call("updateFollow", none)).include({ status: 404, code: "not_found" });

    expect(await viewer.api.ok("followUser", at)).include({ notifications: "all" });
    const changed = await viewer.api.ok("updateFollow", none);

    expect(changed).include({ following_id: owner.id, notifications: "none" });
    expect(await viewer.api.ok("followUser", at)).deep.equal(changed);
    expect((await viewer.api.ok("listMyFollowing")).items).deep.equal([changed]);
    const all = { ...at, body: { notifications: "all" as const } };
    expect(await viewer.api.ok("updateFollow", all)).deep.equal({ ...changed, notifications: "all" });
    await viewer.api.ok("updateFollow", none);
    await viewer.api.ok("unfollowUser", at);
    expect(await viewer.api.ok("followUser", at)).include({ notifications: "all" });
  });

  it("of oneself or of nobody are refused", async () => {
    const viewer = await given.user();
    const follow = (user_id: string) => viewer.api.call("followUser", { params: { user_id } });

    expect((await follow(viewer.id)).code).equal("self_target");
    expect((await follow(crypto.randomUUID())).code).equal("not_found");
    expect((await follow("someone")).code).equal("validation_failed");
  });
});
