// @waits: for runs of the sweeps.
import { expect } from "chai";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { SWEEPS } from "../../../jobs/sweeps.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { streamTitlesCollection } from "../../../store/mongo/channels/stream-titles.ts";
import { categoryRemovalsCollection } from "../../../store/mongo/discovery/category-removals.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import { weightOf } from "../../../store/mongo/driver/searchable.ts";
import { clipLikesCollection } from "../../../store/mongo/live/clip-likes.ts";
import { clipRemovalsCollection } from "../../../store/mongo/live/clip-removals.ts";
import { publisherDropsCollection } from "../../../store/mongo/live/publisher-drops.ts";
import { publishersCollection } from "../../../store/mongo/live/publishers.ts";
import { hooksCollection } from "../../../store/mongo/monetization/hooks.ts";
import { platformCallsCollection } from "../../../store/mongo/monetization/platform-calls.ts";
import { tipsCollection } from "../../../store/mongo/monetization/tips.ts";
import { redemptionsCollection } from "../../../store/mongo/points/redemptions.ts";
import { givenBilling } from "../../support/billing.ts";
import { eventually } from "../../support/eventually.ts";
import { mailboxOf } from "../../support/mailbox.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

/** The slowest of those that are waited for looks every ten seconds. */
const PATIENCE = { withinMs: 25_000 };

const PASSWORD = "a long phrase for specs";

describe("A jobs worker by itself, as it is started", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ sendsMails: true });

  /** Throws, or returns false, until what the job does is seen. */
  type Check = () => Promise<unknown>;
  const causes: { cause: () => Promise<Check>; check: Promise<Check> | null }[] = [];
  /** All causes come before the first check, so that the jobs are waited for together. */
  function byItself(title: string, cause: () => Promise<Check>): void {
    const one: (typeof causes)[number] = { cause, check: null };
    causes.push(one);
    it(title, async () => {
      const check = await one.check;
      await eventually(async () => (await check?.()) !== false, PATIENCE);
    });
  }
  /** By sweep: whether it had taken its lease soon after the start. */
  const begun: Record<string, boolean> = {};
  before(async () => {
    for (const [name, { key }] of Object.entries(SWEEPS))
      begun[name] = await eventually(async () => (await world.core.redis.exists(key)) === 1, {
        withinMs: 5_000,
      }).catch(() => false);
    for (const one of causes) {
      one.check = one.cause();
      // Its own test reports it.
      await one.check.catch(() => undefined);
    }
  });

  const ago = (ms: number) => new Date(world.clock.now() - ms);

  /** As a process that died after it had written the report down leaves it. */
  async function reportLeft(source: string, type: string, data: Record<string, unknown>): Promise<void> {
    const id = newId();
    await hooksCollection.in(world.core.mongo.db).insertOne({
      _id: `${source}:${id}`,
      source,
      type,
      subject: null,
      state: "received",
      reason: null,
      event: { id, createdAt: ago(0), data },
      receivedAt: new Date(0),
      dueAt: new Date(0),
      failures: 0,
      expiresAt: null,
    });
  }

  async function tipTo(receiver: { id: string }): Promise<string> {
    const body = { to_user_id: receiver.id, amount_cents: 500, currency: "USD" };
    await world.api.ok("createTipCheckout", { body });
    const tip = await tipsCollection.in(world.core.mongo.db).findOne({ toUserId: receiver.id });
    if (!tip) throw new Error("its checkout was opened");
    return tip._id;
  }

  it("begins every sweep with its start", () => {
    expect(Object.keys(begun)).length.above(20);
    expect(Object.entries(begun).filter(([, hasBegun]) => !hasBegun)).deep.equal([]);
  });

  byItself("weighs channels for searches by their followers", async () => {
    const channel = await given.channel();
    const { id } = channel.owner;
    await given.followerOf(channel);

    return async () => {
      const { db } = world.core.mongo;
      expect((await usersCollection.in(db).findOne({ _id: id }))?.search?.weight).equal(weightOf(1));
      const title = await streamTitlesCollection.in(db).findOne({ userId: id });
      expect(title?.search.weight).equal(weightOf(1));
    };
  });

  byItself("refunds a redemption that nobody decided on for thirty days", async () => {
    const channel = await given.channel();
    const viewer = await given.followerOf(channel);
    const { id } = await channel.owner.api.ok("createReward", { body: { title: "Hydrate", cost: 100 } });
    const bought = await viewer.api.ok("redeemReward", { params: { reward_id: id }, body: {} });
    const redemptions = redemptionsCollection.in(world.core.mongo.db);
    await redemptions.updateOne({ _id: bought.id }, { $set: { createdAt: ago(31 * DAY_MS) } });

    return async () => {
      const params = { user_id: channel.owner.id };
      expect((await viewer.api.ok("getPoints", { params })).balance).equal(300);
      expect(await redemptions.findOne({ _id: bought.id })).include({ status: "refunded", endedBy: null });
    };
  });

  byItself("applies what the media service reported", async () => {
    const { at } = await given.channel();
    const thumbnail_url = "https://media.example/left.jpg";
    await reportLeft("media", "stream.thumbnail", { ...at, thumbnail_url });
    return async () =>
      expect((await world.api.ok("getStream", { params: at })).thumbnail_url).equal(thumbnail_url);
  });

  byItself("ends publishers whose server sends no updates any more", async () => {
    const { owner, at, stream } = await given.liveChannel();
    await given.hook("update_publish", { key: stream.stream_key });
    const publishers = publishersCollection.in(world.core.mongo.db);
    await publishers.updateOne({ _id: at.stream_id }, { $set: { leaseEndsAt: ago(0) } });
    return async () => {
      const { items } = await owner.api.ok("getStreamHistory", { params: at });
      expect(items.at(-1)).include({ event: "publisherLost", detail: "interrupted" });
    };
  });

  byItself("has publishers dropped", async () => {
    const drops = publisherDropsCollection.in(world.core.mongo.db);
    const _id = newId();
    const publisher = { streamId: newId(), clientId: "7" };
    await drops.insertOne({ _id, ...publisher, createdAt: ago(0), dueAt: ago(0), failures: 0 });
    return async () => (await drops.findOne({ _id })) === null;
  });

  byItself("books what the payment platform reported", async () => {
    const receiver = await given.user();
    const tip_id = await tipTo(receiver);
    await reportLeft("billing", "tip.completed", {
      tip_id,
      platform_id: `pi_${tip_id}`,
      amount_cents: 500,
      currency: "USD",
    });
    return async () => {
      expect((await receiver.api.ok("listMyTips")).items[0]?.status).equal("completed");
    };
  });

  byItself("reports decisions to the payment platform", async () => {
    const [channel, fan] = [await given.channel(), await given.user()];
    const body = { channel_user_id: channel.owner.id, tier: 1 };
    const { checkout_url } = await fan.api.ok("createSubscriptionCheckout", { body });
    await givenBilling(world).press(checkout_url, "pay");
    const [paid] = (await fan.api.ok("listMySubscriptions")).items;
    if (!paid) throw new Error("it was paid");
    await fan.api.ok("cancelSubscription", { params: { subscription_id: paid.id } });
    const calls = platformCallsCollection.in(world.core.mongo.db);
    // Other specs may have left some that wait for an hour.
    const ofIts = { subject: `subscription:${paid.id}` };
    return async () => (await calls.countDocuments(ofIts)) === 0;
  });

  byItself("counts who watches in a category", async () => {
    const { owner, at } = await given.channel();
    const weather = { params: { category_id: "weather" } };
    const { id: categoryId } = await world.api.ok("getCategory", weather);
    // Past the first seconds of a broadcast.
    await world.core.streams.update(at.stream_id, { $set: { isLive: true, categoryId } });
    await world.api.ok("heartbeat", { body: { ...at, device_id: "tv" } });
    return async () => {
      expect((await owner.api.ok("getCategory", weather)).live_viewer_count).equal(1);
    };
  });

  byItself("takes a removed category from its streams", async () => {
    const { owner, stream, at } = await given.channel();
    const categoryId = newId();
    await world.core.streams.update(stream.id, { $set: { categoryId } });
    await categoryRemovalsCollection.in(world.core.mongo.db).insertOne({ _id: categoryId, dueAt: ago(0) });
    return async () => {
      expect((await owner.api.ok("getStream", { params: at })).category_id).equal(null);
    };
  });

  byItself("hides tips that weren't paid for a day, by a schedule of each night", async () => {
    const receiver = await given.user();
    const _id = await tipTo(receiver);
    await tipsCollection.in(world.core.mongo.db).updateOne({ _id }, { $set: { createdAt: ago(2 * DAY_MS) } });
    await world.jobs.nightly.run("unpaid-tips");
    return async () => {
      expect((await receiver.api.ok("listMyTips")).items).deep.equal([]);
      // As BullMQ keeps a schedule.
      expect(await world.core.redis.hgetall("{bull}:upkeep:repeat:unpaid-tips")).include({
        name: "unpaid-tips",
        pattern: "57 4 * * *",
        tz: "UTC",
      });
    };
  });

  byItself("renews tags that a worker of an older release wrote, by a schedule of each night", async () => {
    const { stream, at } = await given.channel();
    await world.core.streams.update(stream.id, { $set: { tags: ["ｃａｆé", "café"] } });
    await world.jobs.nightly.run("tags");
    return async () => expect((await world.api.ok("getStream", { params: at })).tags).deep.equal(["café"]);
  });

  byItself(
    "mails the link to a new account, and the one that was requested for a forgotten password",
    async () => {
      const { username } = await given.user();
      const address = `${username}@example.com`;
      await world.api.ok("forgotPassword", { body: { email: address } });
      const { to } = mailboxOf(world);
      return async () => {
        const subjects = (await to(address)).map(({ subject }) => subject);
        expect(subjects).have.members(["Verify your email address", "Reset your password"]);
      };
    },
  );

  byItself(
    "erases a deleted account whose time is over, once what goes on in its name has ended",
    async () => {
      const { id: _id, api } = await given.user();
      await api.ok("deleteMe", { body: { password: PASSWORD } });
      const users = usersCollection.in(world.core.mongo.db);
      return async () => {
        const isOver = { "deletion.eraseAt": ago(DAY_MS), "deletion.dueAt": ago(DAY_MS) };
        await users.updateOne({ _id, "deletion.isSettled": true }, { $set: isOver });
        expect(await users.countDocuments({ _id })).equal(0);
      };
    },
  );

  byItself("removes the likes of a removed clip", async () => {
    const { db } = world.core.mongo;
    const clipId = newId();
    const like = { clipId, userId: newId(), channelUserId: newId(), createdAt: ago(0) };
    await clipLikesCollection.in(db).insertOne({ _id: `${clipId}:${like.userId}`, ...like });
    await clipRemovalsCollection.in(db).insertOne({ _id: clipId });
    return async () => (await clipLikesCollection.in(db).countDocuments({ clipId })) === 0;
  });

  it("weighs channels also after the clock of another server was ahead", async () => {
    const { db } = world.core.mongo;
    const cursor = jobCursorsIn<{ since: Date }>(db, "search-weights");
    await cursor.keep({ since: new Date(Date.now() + DAY_MS) }, ago(0));
    const channel = await given.channel();
    await given.followerOf(channel);

    await eventually(async () => {
      const user = await usersCollection.in(db).findOne({ _id: channel.owner.id });
      expect(user?.search?.weight).equal(weightOf(1));
    }, PATIENCE);
  });
});
