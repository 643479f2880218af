import { expect } from "chai";
import { POINTS_WINDOW_MS } from "../../../realtime/rooms/presence.ts";
import { watchedTopicsIn } from "../../../store/mongo/chat/watched-topics.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { type Channel, type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openWorld, type World } from "../../support/world.ts";
import { rankedByViewers } from "./ranked.ts";

describe("recommended streams", function () {
  this.timeout(60_000);
  let world: World;
  let given: Given;
  beforeEach(async () => {
    world = await openWorld({ clock: movableClock(), stores: openOwnStores });
    given = givenChannels(world);
  });
  afterEach(() => world.close());

  const recommendedTo = async ({ api }: Pick<Person, "api">) =>
    (await api.ok("listRecommendedStreams")).items.map(({ id }) => id);
  const idsOf = (channels: readonly Channel[]) => channels.map(({ stream }) => stream.id);
  const follow = (by: Person, whom: { id: string }) =>
    by.api.ok("followUser", { params: { user_id: whom.id } });

  async function live(body: Record<string, unknown> = {}): Promise<Channel> {
    const channel = await given.liveChannel();
    if (Object.keys(body).length > 0) await channel.owner.api.ok("updateMyStream", { body });
    return channel;
  }
  const idOf = async (category_id: string) =>
    (await world.api.ok("getCategory", { params: { category_id } })).id;

  it("are for anybody what most watch, without streams for adults", async () => {
    const [few, many, adult] = [await live(), await live(), await live({ is_mature: true })];
    await rankedByViewers(world, [adult, many, few]);

    expect(await recommendedTo(world)).deep.equal(idsOf([many, few]));
    expect((await recommendedTo(await given.user()))[0]).equal(adult.stream.id);
  });

  it("go by categories and languages that were watched, and by what is followed in common, before viewers", async () => {
    const category_id = await idOf("puzzle");
    const popular = await live();
    const sameCategory = await live({ category_id });
    const sameLanguage = await live({ language: "hu" });
    const common = await live();
    const [viewer, friend] = [await given.user(), await given.user()];
    await follow(friend, common.owner);
    await follow(viewer, friend);
    await watchedTopicsIn(world.core.mongo.db).add(
      viewer.id,
      [
        { kind: "category", value: category_id },
        { kind: "language", value: "hu" },
      ],
      new Date(world.clock.now()),
    );
    await rankedByViewers(world, [popular]);

    const all = [sameCategory, sameLanguage, common, popular];
    expect(await recommendedTo(viewer)).deep.equal(idsOf(all));
    const reasons = (await viewer.api.ok("listRecommendedStreams")).items.map((one) => [
      one.id,
      one.recommended_for,
    ]);
    expect(Object.fromEntries(reasons)).deep.equal({
      [sameCategory.stream.id]: "category",
      [sameLanguage.stream.id]: "language",
      [common.stream.id]: "followed_in_common",
      [popular.stream.id]: undefined,
    });
    expect((await recommendedTo(await given.user()))[0]).equal(popular.stream.id);
    const second = await viewer.api.ok("listRecommendedStreams", { query: { per_page: 3, page: 2 } });
    expect(second).include({ total: 4, has_more: false });
    expect(second.items.map(({ id }) => id)).deep.equal(idsOf([popular]));
  });

  it("leave out one's own, followed and blocked channels, and those that block", async () => {
    const [own, followed, blocked, blocking, other] = [
      await live(),
      await live(),
      await live(),
      await live(),
      await live(),
    ];
    const viewer = own.owner;
    await follow(viewer, followed.owner);
    await viewer.api.ok("blockUser", { params: { user_id: blocked.owner.id } });
    await blocking.owner.api.ok("blockUser", { params: { user_id: viewer.id } });

    expect(await recommendedTo(viewer)).deep.equal(idsOf([other]));
  });

  it("know a category once five minutes of it were watched", async () => {
    const category_id = await idOf("puzzle");
    const [seen, alike, other] = [
      await live({ category_id, language: "fi" }),
      await live({ category_id }),
      await live(),
    ];
    const viewer = await given.user();
    for (let elapsed = 0; elapsed <= 2 * POINTS_WINDOW_MS; elapsed += 20_000) {
      world.clock.move(20_000);
      await world.core.watching.heartbeat(seen.at.stream_id, { userId: viewer.id });
    }
    await eventually(async () => {
      const watched = await watchedTopicsIn(world.core.mongo.db).most(viewer.id, "category", 5);
      expect(watched.map(({ value }) => value)).deep.equal([category_id]);
    });

    const again = await given.signedInAgain(viewer);
    const found = await recommendedTo(again);
    expect(found.slice(0, 2)).deep.equal(idsOf([seen, alike]));
    expect(found).include(other.stream.id);
    const languages = await watchedTopicsIn(world.core.mongo.db).most(viewer.id, "language", 5);
    expect(languages).deep.equal([{ value: "fi", share: 1 }]);
  });
});
