import { expect } from "chai";
import { MINUTE_MS } from "../../../../base/durations.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import { rewardsCollection } from "../../../../store/mongo/points/rewards.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("rewards by REST", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  const add = (owner: Person, body: object = {}) =>
    owner.api.call("createReward", { body: { title: "Hydrate", cost: 50, ...body } });
  const listed = async ({ owner }: Channel) =>
    (await world.api.ok("listRewards", { params: { user_id: owner.id }, query: { per_page: 100 } })).items;

  it("are added, changed and deleted by the channel's owner, and read by anybody", async () => {
    const channel = await given.channel();
    const { owner } = channel;
    const dear = await owner.api.ok("createReward", { body: { title: "Choose the game", cost: 5_000 } });
    const cheap = await owner.api.ok("createReward", {
      body: { title: "Hydrate", cost: 50, description: "A sip.", cooldown_seconds: 60, max_per_stream: 9 },
    });
    const unlimited = { cooldown_ends_at: null, left_in_broadcast: null };
    const fresh = { cooldown_ends_at: null, left_in_broadcast: 9 };

    expect(dear).deep.include({
      channel_user_id: owner.id,
      title: "Choose the game",
      description: null,
      cost: 5_000,
      is_enabled: true,
      is_paused: false,
      requires_input: false,
      skip_queue: false,
      cooldown_seconds: null,
      max_per_stream: null,
      max_per_user_per_stream: null,
    });
    shows("default ChannelReward.is_enabled", "default ChannelReward.requires_input");
    expect(await listed(channel)).deep.equal([
      { ...cheap, ...fresh },
      { ...dear, ...unlimited },
    ]);

    const params = { reward_id: cheap.id };
    const changed = await owner.api.ok("updateReward", {
      params,
      body: { cost: 70, is_enabled: false, cooldown_seconds: null },
    });
    expect(changed).deep.equal({ ...cheap, cost: 70, is_enabled: false, cooldown_seconds: null });
    expect(await listed(channel)).deep.equal([
      { ...changed, ...fresh },
      { ...dear, ...unlimited },
    ]);

    const viewer = await given.user();
    expect((await viewer.api.call("updateReward", { params, body: { cost: 1 } })).code).equal("forbidden");
    expect((await viewer.api.call("deleteReward", { params })).code).equal("forbidden");
    expect((await owner.api.call("deleteReward", { params })).status).equal(204);
    expect((await owner.api.call("deleteReward", { params })).code).equal("not_found");
    expect((await owner.api.call("updateReward", { params, body: { cost: 1 } })).code).equal("not_found");
    expect(await listed(channel)).deep.equal([{ ...dear, ...unlimited }]);
  });

  it("say in the list what redemptions have left: the end of a cooldown, and how many a broadcast allows", async () => {
    const channel = await given.liveChannel();
    const viewer = await given.followerOf(channel);
    const body = { title: "Hydrate", cost: 50, cooldown_seconds: 60, max_per_stream: 3 };
    const { id } = await channel.owner.api.ok("createReward", { body });
    const left = async () => {
      const [{ cooldown_ends_at: ends, left_in_broadcast } = {}] = await listed(channel);
      return { waitMs: ends ? Date.parse(ends) - world.clock.now() : null, left_in_broadcast };
    };

    await viewer.api.ok("redeemReward", { params: { reward_id: id }, body: {} });
    const after = await left();
    expect(after.waitMs).within(30_000, 60_000);
    expect(after.left_in_broadcast).equal(2);
    world.clock.move(60_000);
    expect(await left()).deep.equal({ waitMs: null, left_in_broadcast: 2 });
    await viewer.api.ok("redeemReward", { params: { reward_id: id }, body: {} });
    await given.hook("publish_done", { key: channel.stream.stream_key });
    world.clock.move(2 * MINUTE_MS);
    await eventually(async () => !(await channel.owner.api.ok("getStream", { params: channel.at })).is_live);
    expect((await left()).left_in_broadcast, "until the next broadcast").equal(1);
    await given.goLive(channel, "2");
    expect((await left()).left_in_broadcast).equal(3);
  });

  it("have titles that differ within a channel, whatever their case", async () => {
    const [channel, other] = [await given.channel(), await given.channel()];
    const { owner } = channel;
    const first = await owner.api.ok("createReward", { body: { title: "Hydrate", cost: 50 } });
    const second = await owner.api.ok("createReward", { body: { title: "Posture", cost: 50 } });

    for (const title of [" HYDRATE", "Hy\u200bdrate", "Hydrate\u3164", "ｈｙｄｒａｔｅ"])
      expect((await add(owner, { title })).code, title).equal("reward_title_taken");
    const renamed = { params: { reward_id: second.id }, body: { title: "hydrate" } };
    expect((await owner.api.call("updateReward", renamed)).code).equal("reward_title_taken");
    expect((await add(other.owner)).status).equal(201);
    await owner.api.ok("updateReward", { params: { reward_id: first.id }, body: { title: "HYDRATE!" } });
    expect((await owner.api.call("updateReward", renamed)).status).equal(200);
    expect((await listed(channel)).map(({ title }) => title)).members(["HYDRATE!", "hydrate"]);
  });

  it("can be changed under the title of an older release, which another one looks like now", async () => {
    const channel = await given.channel();
    const { owner } = channel;
    const older = await owner.api.ok("createReward", { body: { title: "$STRAẞE", cost: 60 } });
    const other = await owner.api.ok("createReward", { body: { title: "Other", cost: 70 } });
    const change = async (body: object) =>
      (await owner.api.call("updateReward", { params: { reward_id: older.id }, body })).code;
    // Of the last release, which took "ẞ" for "ß"; the other title has what is its key now.
    const stored = rewardsCollection.in(world.core.mongo.db);
    await stored.updateOne({ _id: older.id }, { $set: { titleKey: "$straße" } });
    await stored.updateOne({ _id: other.id }, { $set: { titleKey: "$strasse" } });

    expect(await change({ cost: 5, is_paused: true })).equal(null);
    expect(await change({ title: "$STRAẞE", description: "$title" })).equal(null);
    expect(await stored.findOne({ _id: older.id })).include({ titleKey: "$straße", description: "$title" });
    expect(await change({ title: "$straße" })).equal("reward_title_taken");
    expect(await change({ title: "Avenue" })).equal(null);
    expect((await add(owner, { title: "avenue" })).code).equal("reward_title_taken");
  });

  it("differ from every title that looks alike: ß, ς, letters of Arabic, inner spaces", async () => {
    const { owner } = await given.channel();
    const alike = [
      ["Straße", "STRASSE", "STRAẞE", "straſse"],
      ["Κώδικας", "ΚΏΔΙΚΑΣ", "κώδικασ"],
      ["أحمق", "احمق", "أَحْمَق", "أحـمق"],
      ["Show the cat", "show  the cat", "Show\u00a0the\u3000CAT"],
    ];
    for (const [title = "", ...others] of alike) {
      expect((await add(owner, { title })).status, title).equal(201);
      for (const other of others)
        expect((await add(owner, { title: other })).code, other).equal("reward_title_taken");
    }
    for (const title of ["Κωδικος", "Showthe cat", "Straßen"])
      expect((await add(owner, { title })).status, title).equal(201);
  });

  it("differ from rewards of an earlier release, which stored other keys of titles", async () => {
    const channel = await given.channel();
    const { owner } = channel;
    const { db } = world.core.mongo;
    const titles = ["Straße", "Κώδικας", "أحمق", "Show  the cat"];
    const ids = await Promise.all(
      titles.map(async (title) => {
        const { id } = await owner.api.ok("createReward", { body: { title, cost: 50 } });
        const titleKey = title.normalize("NFKC").trim().toLowerCase();
        await db.collection<{ _id: string }>("rewards").updateOne({ _id: id }, { $set: { titleKey } });
        return id;
      }),
    );
    const own = await owner.api.ok("createReward", { body: { title: "Posture", cost: 50 } });

    for (const [index, title] of titles.entries()) {
      const refusals = await Promise.all([
        add(owner, { title }),
        add(owner, { title: title.toUpperCase() }),
        owner.api.call("updateReward", { params: { reward_id: own.id }, body: { title } }),
      ]);
      expect(
        refusals.map(({ code }) => code),
        title,
      ).deep.equal(Array(3).fill("reward_title_taken"));
      // The form of a client sends what stays, too.
      const body = { title, cost: 60 };
      await owner.api.ok("updateReward", { params: { reward_id: String(ids[index]) }, body });
    }
    expect((await listed(channel)).map(({ title }) => title)).members([...titles, "Posture"]);
  });

  it("have one title each when they are added at once", async () => {
    const { owner } = await given.channel();

    const answers = await Promise.all(Array.from({ length: 8 }, () => add(owner)));

    expect(answers.filter(({ status }) => status === 201)).length(1);
    expect(answers.filter(({ code }) => code === "reward_title_taken")).length(7);
  });

  it("are fifty in a channel, also when they come at once, and one more once one is gone", async () => {
    const channel = await given.channel();
    const { owner } = channel;

    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => add(owner, { title: `No. ${n}` })),
    );

    expect(answers.filter(({ status }) => status === 201)).length(50);
    const refused = answers.filter(({ code }) => code === "limit_reached");
    expect(refused.map(({ details }) => details)).deep.equal(Array(10).fill({ limit: 50 }));
    const [one] = await listed(channel);
    await owner.api.call("deleteReward", { params: { reward_id: one?.id ?? "" } });
    expect((await add(owner, { title: "One more" })).status).equal(201);
    expect((await add(owner, { title: "One too many" })).code).equal("limit_reached");
  });

  it("are made once for one Idempotency-Key", async () => {
    const channel = await given.channel();
    const headers = { "idempotency-key": "once" };
    const body = { title: "Hydrate", cost: 50 };

    const first = await channel.owner.api.ok("createReward", { body, headers });
    const again = await channel.owner.api.ok("createReward", { body, headers });

    expect(again).deep.equal(first);
    const other = { body: { ...body, cost: 51 }, headers };
    expect((await channel.owner.api.call("createReward", other)).code).equal("idempotency_conflict");
    expect(await listed(channel)).length(1);
  });
});
