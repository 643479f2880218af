import { expect } from "chai";
import { DAY_MS } from "../../../base/durations.ts";
import { movableClock } from "../../support/clock.ts";
import type { Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const BETS = {
  title: "Will it compile?",
  outcomes: [{ title: "Yes" }, { title: "No" }],
  duration_seconds: 60,
};
const POLL = { question: "Which one?", options: ["This", "That"], duration_sec: 60 };

describe("a channel's page", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });

  const pageOf = ({ username }: Person, by: Pick<Person, "api"> = world) =>
    by.api.ok("getChannel", { params: { username } });
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();

  it("says null for all that a new channel hasn't", async () => {
    const { owner, stream } = await given.channel();

    const { profile, stream: shown, ...rest } = await pageOf(owner);

    const {
      is_following,
      stream: _,
      ...own
    } = await owner.api.ok("getPublicProfile", {
      params: { username: owner.username },
    });
    expect(is_following).equal(false);
    expect(profile).deep.equal(own);
    expect(shown.id).equal(stream.id);
    expect(rest).deep.equal({
      category: null,
      broadcast: null,
      hosting: null,
      next_broadcast: null,
      prediction_id: null,
      poll_id: null,
    });
  });

  it("has the running broadcast with its category, and what is open in its room", async () => {
    const channel = await given.liveChannel();
    const { items } = await world.api.ok("listCategories");
    const [category] = items;
    await channel.owner.api.ok("updateMyStream", {
      body: { name: "A parser", category_id: category?.id ?? null },
    });
    const prediction = await channel.owner.api.ok("createPrediction", { params: channel.at, body: BETS });
    const poll = await channel.owner.api.ok("createPoll", { params: channel.at, body: POLL });

    const page = await pageOf(channel.owner);

    expect(page.stream).include({ name: "A parser", is_live: true });
    expect(page.category).include({ id: category?.id, name: category?.name });
    expect(page).include({ prediction_id: prediction.id, poll_id: poll.id });
    expect(page.broadcast?.ended_at).equal(null);
    const shared = { params: { prediction_id: prediction.id } };
    await channel.owner.api.ok("cancelPrediction", shared);
    await channel.owner.api.ok("endPoll", { params: { poll_id: poll.id } });
    expect(await pageOf(channel.owner, channel.owner)).include({ prediction_id: null, poll_id: null });
  });

  it("has of an offline channel its last broadcast, the next one, and whom it hosts", async () => {
    const [channel, hosted] = [await given.liveChannel(), await given.liveChannel()];
    clock.move(60_000);
    await channel.owner.api.ok("endBroadcast", { params: channel.at });
    const later = { title: "Later", starts_at: at(2 * DAY_MS) };
    await channel.owner.api.ok("createScheduleEntry", { body: later });
    const next = await channel.owner.api.ok("createScheduleEntry", {
      body: { title: "Next", starts_at: at(DAY_MS) },
    });
    await channel.owner.api.ok("hostChannel", { body: { target_user_id: hosted.owner.id } });

    const page = await pageOf(channel.owner);

    expect(page.stream.is_live).equal(false);
    const { started_at = "", ended_at = null } = page.broadcast ?? {};
    expect(Date.parse(String(ended_at)) - Date.parse(started_at)).within(60_000, 70_000);
    expect(page.next_broadcast).deep.equal(next);
    expect(page.hosting?.target_user.id).equal(hosted.owner.id);
  });

  it("doesn't show a hosted channel whose account was banned", async () => {
    const [channel, hosted] = [await given.channel(), await given.liveChannel()];
    await channel.owner.api.ok("hostChannel", { body: { target_user_id: hosted.owner.id } });
    const staff = await givenStaff(world, given).staff();
    await staff.api.ok("banAccount", { params: { account_id: hosted.owner.id }, body: { reason: "So" } });

    expect((await pageOf(channel.owner)).hosting).equal(null);
  });

  it("is the same for everybody", async () => {
    const channel = await given.liveChannel();
    const [fan, moderator] = [await given.followerOf(channel), await given.moderatorOf(channel)];
    const blocked = await given.user();
    await channel.owner.api.ok("blockUser", { params: { user_id: blocked.id } });

    const [first, ...others] = await Promise.all(
      [world, fan, moderator, blocked, channel.owner].map((by) => pageOf(channel.owner, by)),
    );

    for (const other of others) expect(other).deep.equal(first);
  });
});
