import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("bans and timeouts as moderators read them", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  let channel: Channel;
  let moderator: Person;

  beforeEach(async () => {
    channel = await given.channel();
    moderator = await given.moderatorOf(channel);
  });

  const ban = async (user: Person, reason: string) => {
    const params = { ...channel.at, user_id: user.id };
    await moderator.api.ok("banUser", { params, body: { reason } });
    world.clock.move(1_000);
  };
  const timeOut = (user: Person, duration_seconds: number) =>
    moderator.api.ok("timeoutUser", {
      params: { ...channel.at, user_id: user.id },
      body: { duration_seconds },
    });
  const list = async (query: { type?: "ban" | "timeout"; username?: string }) =>
    (await moderator.api.ok("listRestrictions", { params: channel.at, query })).items;

  it("list bans newest first, with who set them and why", async () => {
    const [ada, bob] = [await given.user(), await given.user()];
    await ban(ada, "Spam");
    await ban(bob, "Insults");
    const bans = await list({});
    expect(bans.map(({ user, reason }) => [user.id, reason])).deep.equal([
      [bob.id, "Insults"],
      [ada.id, "Spam"],
    ]);
    expect(bans[0]).deep.include({ type: "ban", expires_at: null });
    expect(bans[0]?.by.id).equal(moderator.id);
  });

  it("list timeouts that are in force, the one that ends next first", async () => {
    const [ada, bob, alan] = [await given.user(), await given.user(), await given.user()];
    await timeOut(ada, 600);
    await timeOut(bob, 60);
    await timeOut(alan, 5);
    world.clock.move(10_000);
    expect((await list({ type: "timeout" })).map(({ user }) => user.id)).deep.equal([bob.id, ada.id]);
    expect(await list({ type: "ban" })).deep.equal([]);
  });

  it("find a user by how the name begins", async () => {
    const [ada, bob] = [await given.user(), await given.user()];
    await ban(ada, "Spam");
    await ban(bob, "Spam");
    const found = await list({ username: ada.username.toUpperCase().slice(0, -1) });
    expect(found.map(({ user }) => user.id)).include(ada.id);
    expect((await list({ username: ada.username })).map(({ user }) => user.id)).deep.equal([ada.id]);
    expect(await list({ username: ada.username, type: "timeout" })).deep.equal([]);
  });
});

describe("channels that a user moderates", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("are listed with live ones first, then by newest role", async () => {
    const channels = [await given.channel(), await given.channel(), await given.channel()];
    const ada = await given.user();
    for (const { owner, at } of channels) {
      await owner.api.ok("addModerator", { params: { ...at, user_id: ada.id } });
      world.clock.move(1_000);
    }
    const [first, second, third] = channels;
    if (!first || !second || !third) throw new Error("there are three");
    await first.owner.api.ok("removeModerator", { params: { ...first.at, user_id: ada.id } });
    const streams = world.core.mongo.db.collection("streams");
    await streams.updateOne({ userId: second.owner.id }, { $set: { isLive: true, viewerCount: 7 } });
    const { items } = await ada.api.ok("listModeratedChannels");
    expect(items.map(({ channel, is_live, viewer_count }) => [channel.id, is_live, viewer_count])).deep.equal(
      [
        [second.owner.id, true, 7],
        [third.owner.id, false, 0],
      ],
    );
  });
});
