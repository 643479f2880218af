import { expect } from "chai";
import { shows } from "../../../../contract/coverage/shows.ts";
import { STARTER_CATEGORIES } from "../../../../store/mongo/schema/migrations/0004-starter-categories.ts";
import { movableClock } from "../../../support/clock.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("a channel as others see it in profiles and lists", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("has its pictures, links, category and viewers", async () => {
    const channel = await given.liveChannel();
    const { owner, at } = channel;
    const [category] = STARTER_CATEGORIES;
    if (!category) throw new Error("there are no categories");
    const profile = {
      bio: "Somebody.",
      image_url: "https://images.example/me.png",
      banner_url: "https://images.example/banner.png",
      social_links: {
        instagram: "me",
        twitter: "me",
        facebook: "me",
        discord: "me",
        tiktok: "me",
        youtube: "me",
        website: "https://me.example",
      },
    };
    const thumbnail_url = "https://images.example/thumb.png";
    await owner.api.ok("updateMe", { body: profile });
    await owner.api.ok("updateMyStream", { body: { category_id: category._id, thumbnail_url } });
    await owner.api.ok("updateChatSettings", {
      params: at,
      body: { followers_only: 10, chat_enabled: false },
    });
    await world.api.ok("heartbeat", { body: { ...at, device_id: "tv" } });
    await world.jobs.viewerCounts.tick();

    const seen = await world.api.ok("getPublicProfile", { params: { username: owner.username } });
    const { items } = await world.api.ok("listStreams", {
      query: { category_id: category._id, per_page: 100 },
    });

    expect(await owner.api.ok("getMe")).deep.include(profile);
    expect(seen).deep.include(profile);
    expect(seen.stream).deep.include({
      is_live: true,
      realtime_viewer_count: 1,
      thumbnail_url,
      is_chat_enabled: false,
      is_chat_followers_only: true,
      category: { id: category._id, slug: category.slug, name: category.name },
    });
    const card = items.find(({ id }) => id === channel.stream.id);
    expect(card).deep.include({ thumbnail_url, realtime_viewer_count: 1, is_mature: false });
    expect(card?.user.image_url).equal(profile.image_url);
    shows("default StreamCard.is_mature");
  });

  it("has no category where none was chosen", async () => {
    const { stream } = await given.liveChannel();

    const { items } = await world.api.ok("listStreams", { query: { sort: "recent", per_page: 100 } });

    expect(items.find(({ id }) => id === stream.id))
      .an("object")
      .not.property("category");
    shows("absent StreamCard.category");
  });

  it("shows how its chat is set", async () => {
    const { owner, at } = await given.channel();
    const body = { slow: 7, followers_only: 15, unique_chat: true, chat_enabled: false };

    await owner.api.ok("updateChatSettings", { params: at, body });

    expect(await world.api.ok("getStream", { params: at })).include({
      chat_slow_mode: true,
      chat_slow_mode_seconds: 7,
      chat_unique_chat: true,
      is_chat_enabled: false,
      is_chat_followers_only: true,
      chat_followers_only_minutes: 15,
    });
  });
});
