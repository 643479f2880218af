import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { movableClock } from "../../support/clock.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("the front page", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock(), stores: openOwnStores });
  let staff: Person;
  let viewer: Person;
  let channels: Channel[];
  before(async () => {
    staff = await givenStaff(world, given).staff();
    viewer = await given.user();
    channels = [await given.liveChannel(), await given.liveChannel(), await given.liveChannel()];
  });

  const nth = (n: number): Channel => {
    const channel = channels[n];
    if (!channel) throw new Error("there are three");
    return channel;
  };
  const feature = (owners: { id: string }[]) =>
    staff.api.ok("setFeatured", { body: { user_ids: owners.map(({ id }) => id) } });
  const idsOf = (cards: { id: string }[] | undefined) => cards?.map(({ id }) => id);

  it("has what staff feature, in their order and while it is live; nothing of it is recommended again", async () => {
    const offline = await given.channel();
    await feature([nth(1).owner, offline.owner, nth(0).owner]);

    const home = await viewer.api.ok("getHome");

    expect(idsOf(home.featured)).deep.equal([nth(1).stream.id, nth(0).stream.id]);
    expect(idsOf(home.recommended)).deep.equal([nth(2).stream.id]);
    const { items } = await staff.api.ok("listFeatured");
    expect(items.map(({ id }) => id)).deep.equal([nth(1).owner.id, offline.owner.id, nth(0).owner.id]);

    await feature([nth(0).owner]);
    expect(idsOf((await viewer.api.ok("getHome")).featured)).deep.equal([nth(0).stream.id]);
  });

  it("features nobody without an account, nobody twice, and at most twenty", async () => {
    await feature([nth(0).owner]);
    const put = async (user_ids: string[]) =>
      (await staff.api.call("setFeatured", { body: { user_ids } })).code;

    expect(await put([nth(1).owner.id, newId()])).equal("not_found");
    expect(await put([nth(1).owner.id, nth(1).owner.id])).equal("validation_failed");
    expect(await put(Array.from({ length: 21 }, () => newId()))).equal("validation_failed");
    expect((await staff.api.ok("listFeatured")).items.map(({ id }) => id)).deep.equal([nth(0).owner.id]);
  });

  it("leaves out featured channels that somebody blocks", async () => {
    const blocker = await given.user();
    await feature([nth(0).owner, nth(1).owner]);
    await blocker.api.ok("blockUser", { params: { user_id: nth(0).owner.id } });

    expect(idsOf((await blocker.api.ok("getHome")).featured)).deep.equal([nth(1).stream.id]);
  });

  it("has followed channels that are live, for who is signed in", async () => {
    const fan = await given.user();
    const offline = await given.channel();
    for (const { owner } of [offline, nth(2)])
      await fan.api.ok("followUser", { params: { user_id: owner.id } });

    const home = await fan.api.ok("getHome");

    expect(idsOf(home.followed_live)).deep.equal([nth(2).stream.id]);
    expect(idsOf(home.recommended)).not.include(nth(2).stream.id);
    expect(await world.api.ok("getHome")).not.property("followed_live");
  });

  it("has twelve categories, and cards without tags", async () => {
    await nth(2).owner.api.ok("updateMyStream", { body: { tags: ["cosy"] } });

    const home = await viewer.api.ok("getHome");

    expect(home.top_categories).lengthOf(12);
    const first = await viewer.api.ok("listCategories", { query: { per_page: 12 } });
    expect(home.top_categories).deep.equal(first.items);
    for (const card of [...home.featured, ...home.recommended]) expect(card).not.property("tags");
    const { items } = await viewer.api.ok("listRecommendedStreams");
    expect(items.find(({ id }) => id === nth(2).stream.id)?.tags).deep.equal(["cosy"]);
  });
});
