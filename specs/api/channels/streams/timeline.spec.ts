import { expect } from "chai";
import { HOUR_MS, MINUTE_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import type { StreamTimeline } from "../../../../contract/wire.ts";
import { chatMessagesCollection } from "../../../../store/mongo/chat/chat-messages.ts";
import { broadcastsCollection } from "../../../../store/mongo/live/broadcasts.ts";
import { chatMinutesCollection } from "../../../../store/mongo/live/chat-minutes.ts";
import { givenBilling } from "../../../support/billing.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("getStreamTimeline", function () {
  this.timeout(60_000);
  // `look` counts all channels of the store.
  const { world, given } = setUpWorld({ clock: movableClock(), stores: openOwnStores });
  let channel: Channel;
  beforeEach(async () => {
    channel = await given.channel();
  });

  const timelineOf = (who: Person) => who.api.ok("getStreamTimeline", { params: channel.at });
  type Series = Exclude<keyof StreamTimeline["points"][number], "at">;
  const valuesOf = ({ points }: StreamTimeline, name: Series) => points.map((point) => point[name]);
  const say = (who: Person, content: string) =>
    who.api.ok("sendChatMessage", { params: channel.at, body: { content } });
  /** To the beginning of a minute, so that points are as the spec says. */
  const toMinute = () => world.clock.move(MINUTE_MS - (world.clock.now() % MINUTE_MS));

  it("counts viewers, messages, follows, subscriptions and tips in their minutes, also after its counts are stored", async () => {
    const billing = givenBilling(world);
    toMinute();
    await given.goLive(channel);
    const { owner, at } = channel;
    const fan = await given.followerOf(channel);
    await fan.api.ok("heartbeat", { body: { stream_id: at.stream_id, device_id: newId() } });
    await world.core.analytics.look();
    await say(fan, "one");
    await say(owner, "two");
    world.clock.move(MINUTE_MS);
    await say(fan, "three");
    const body = { channel_user_id: owner.id, tier: 1 as const };
    const { checkout_url } = await fan.api.ok("createSubscriptionCheckout", { body });
    await billing.press(checkout_url, "pay");
    const tip = { to_user_id: owner.id, amount_cents: 700, currency: "USD" };
    await billing.press((await fan.api.ok("createTipCheckout", { body: tip })).checkout_url, "pay");

    const first = await eventually(async () => {
      const timeline = await timelineOf(owner);
      expect(valuesOf(timeline, "messages")).deep.equal([2, 1]);
      return timeline;
    });
    expect(first).deep.include({ interval_seconds: 60, currency: "USD", ended_at: null });
    expect(valuesOf(first, "viewers")).deep.equal([1, null]);
    expect(valuesOf(first, "follows")).deep.equal([1, 0]);
    expect(valuesOf(first, "subscriptions")).deep.equal([0, 1]);
    expect(valuesOf(first, "tip_cents")).deep.equal([0, 700]);

    world.clock.move(15 * MINUTE_MS);
    await world.core.analytics.countChat();
    const stored = await chatMinutesCollection.in(world.core.mongo.db).findOne({ ownerId: owner.id });
    expect(stored?.messages.slice(0, 3)).deep.equal([2, 1, 0]);
    // Only what isn't counted yet is read from the archive.
    await chatMessagesCollection.in(world.core.mongo.db).deleteMany({ streamId: at.stream_id });
    const again = await given.signedInAgain(owner);
    const later = await timelineOf(again);
    expect(later.points.slice(0, 2)).deep.equal([first.points[0], first.points[1]]);
  });

  it("says nothing about viewers of minutes in which nobody counted them", async () => {
    toMinute();
    await given.goLive(channel);
    await world.core.analytics.look();
    world.clock.move(2 * MINUTE_MS);
    await world.core.analytics.look();
    expect(valuesOf(await timelineOf(channel.owner), "viewers")).deep.equal([0, null, 0]);
  });

  it("has the messages of all broadcasts counted but of one whose count fails", async () => {
    const [broken, whole] = [channel, await given.channel()];
    toMinute();
    for (const one of [broken, whole]) await given.goLive(one);
    world.clock.move(15 * MINUTE_MS);
    const { db } = world.core.mongo;
    const [first] = await broadcastsCollection.in(db).find({ streamId: broken.stream.id }).toArray();
    // What is no list of numbers takes no more.
    await chatMinutesCollection.in<{ _id: string; messages: string; until: Date }>(db).insertOne(
      {
        _id: first?._id ?? "",
        messages: "none",
        until: new Date((first?.startedAt.getTime() ?? 0) - ((first?.startedAt.getTime() ?? 0) % MINUTE_MS)),
      },
      { bypassDocumentValidation: true },
    );
    const refused = await world.core.analytics.countChat().catch((err: unknown) => err);
    expect(refused).instanceOf(Error);
    const counted = await chatMinutesCollection.in(db).findOne({ ownerId: whole.owner.id });
    expect(counted?.messages).length.greaterThan(0);
  });

  it("has a point every two minutes, of the last 48 hours, for a broadcast that is longer", async () => {
    await given.goLive(channel);
    const startedAt = new Date(world.clock.now() - 100 * HOUR_MS);
    await broadcastsCollection
      .in(world.core.mongo.db)
      .updateOne({ streamId: channel.stream.id }, { $set: { startedAt } });
    const { points, interval_seconds } = await timelineOf(channel.owner);
    expect(interval_seconds).equal(120);
    expect(points).length.within(1_440, 1_441);
    const times = points.map(({ at }) => Date.parse(at));
    expect(times.every((at, place) => place === 0 || at - (times[place - 1] ?? 0) === 2 * MINUTE_MS)).equal(
      true,
    );
    expect((times.at(-1) ?? 0) + 2 * MINUTE_MS).greaterThan(world.clock.now());
  });

  it("is empty before the first broadcast, and of no concern to others", async () => {
    expect(await timelineOf(channel.owner)).deep.include({ started_at: null, points: [] });
    const moderator = await given.moderatorOf(channel);
    expect(await timelineOf(moderator)).deep.include({ started_at: null });
    const viewer = await given.user();
    const answer = await viewer.api.call("getStreamTimeline", { params: channel.at });
    expect(answer.code).equal("forbidden");
  });
});
