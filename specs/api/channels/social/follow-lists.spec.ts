import { expect } from "chai";
import { movableClock } from "../../../support/clock.ts";
import type { Person } from "../../../support/given-channels.ts";
import { withKey } from "../../../support/given-channels.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("a profile and its lists", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });

  async function follow(by: Person, whom: Person): Promise<void> {
    world.clock.move(10);
    await by.api.ok("followUser", { params: { user_id: whom.id } });
  }
  const followersOf = (username: string, query: Record<string, number> = {}) =>
    world.api.ok("listFollowers", { params: { username }, query });
  const namesOf = (page: { items: { username: string }[] }) => page.items.map(({ username }) => username);

  it("say who follows a user, the newest first, page by page", async () => {
    const [star, ...fans] = [await given.user(), await given.user(), await given.user(), await given.user()];
    for (const fan of fans) await follow(fan, star);
    const names = fans.map(({ username }) => username).reverse();

    const all = await followersOf(star.username.toUpperCase());
    expect(namesOf(all)).deep.equal(names);
    expect(all).include({ total: 3, has_more: false });
    const pages = await Promise.all(
      [1, 2, 3].map((page) => followersOf(star.username, { per_page: 2, page })),
    );
    expect(pages.map(namesOf)).deep.equal([names.slice(0, 2), names.slice(2), []]);
    expect(pages.map(({ has_more }) => has_more)).deep.equal([true, false, false]);
    const [last] = fans;
    if (!last) throw new Error("there are three");
    await last.api.ok("unfollowUser", { params: { user_id: star.id } });
    world.clock.move(1_000);
    expect(namesOf(await followersOf(star.username))).deep.equal(names.slice(0, 2));
  });

  it("say whom a user follows, to everybody", async () => {
    const [fan, one, other] = [await given.user(), await given.user(), await given.user()];
    await follow(fan, one);
    await follow(fan, other);

    const page = await world.api.ok("listFollowing", { params: { username: fan.username } });

    expect(namesOf(page)).deep.equal([other.username, one.username]);
    expect(page.items[0]).deep.equal({
      id: other.id,
      username: other.username,
      username_title: other.username,
      image_url: null,
    });
    expect(page.total).equal(2);
    const unknown = await world.api.call("listFollowing", { params: { username: "nobody_of_that_name" } });
    expect(unknown.code).equal("not_found");
    const nobodys = await world.api.call("listFollowers", { params: { username: "nobody_of_that_name" } });
    expect(nobodys.code).equal("not_found");
  });

  it("don't show accounts that are being deleted", async () => {
    const [star, gone] = [await given.user(), await given.user()];
    await follow(gone, star);
    await follow(star, gone);
    await gone.api.ok("deleteMe", { body: { password: "a long phrase for specs" } });

    expect(namesOf(await followersOf(star.username))).deep.equal([]);
    const followed = await world.api.ok("listFollowing", { params: { username: star.username } });
    expect(namesOf(followed)).deep.equal([]);
    expect((await star.api.ok("listMyFollowing")).items).deep.equal([]);
    expect((await star.api.ok("listFollowedStreams")).items).deep.equal([]);
  });

  it("show the mark of staff, links, SEO tags, stream and whether the caller follows", async () => {
    const { owner, at } = await given.liveChannel();
    const staff = await givenStaff(world, given).staff();
    const fan = await given.followerOf({ owner, at, stream: withKey(await owner.api.ok("getMyStream")) });
    const links = { website: "https://me.example/", twitter: "me" };
    await owner.api.ok("updateMe", { body: { social_links: links } });
    await owner.api.ok("setSeoTags", { body: { title: "Mine", keywords: ["one", "two"] } });
    await staff.api.ok("updateUser", { params: { account_id: owner.id }, body: { is_verified: true } });
    const params = { username: owner.username };

    const seen = await fan.api.ok("getPublicProfile", { params });

    expect(seen).deep.include({
      is_verified: true,
      is_following: true,
      follower_count: 1,
      social_links: links,
    });
    expect(seen.seo_tags).include({ title: "Mine" });
    expect(seen.stream).include({ id: at.stream_id, is_live: true });
    expect(await world.api.ok("getPublicProfile", { params })).include({ is_following: false });
    await staff.api.ok("updateUser", { params: { account_id: owner.id }, body: { is_verified: false } });
    expect(await fan.api.ok("getPublicProfile", { params })).include({ is_verified: false });
  });
});
