// @waits: for runs of the sweeps.
import { expect } from "chai";
import { HOUR_MS, MINUTE_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { mailsCollection } from "../../../store/mongo/notifications/mails.ts";
import {
  type NotificationPreferencesDoc,
  notificationPreferencesIn,
} from "../../../store/mongo/notifications/notification-preferences.ts";
import { notificationsCollection } from "../../../store/mongo/notifications/notifications.ts";
import { pushDevicesCollection } from "../../../store/mongo/notifications/push-devices.ts";
import { followerFact, liveFact, notificationsOf, setUpFacts } from "./given-facts.ts";

describe("What lists have is handed on to push and mail,", () => {
  const { world, given } = setUpFacts();

  const now = () => new Date(world.clock.now());
  const worker = (outbox = world.outbox) =>
    notificationsOf({ mongo: world.mongo, outbox, clock: world.clock });
  async function work(): Promise<void> {
    await worker().fanOut();
    await worker().deliver();
  }
  const followed = (userId: string, times: number) =>
    given.happen(...Array.from({ length: times }, () => followerFact(userId, now())));
  async function withDevice(): Promise<string> {
    const userId = newId();
    await given.devices([userId]);
    return userId;
  }
  const bodies = async (userId: string) =>
    (await given.pushesTo([userId])).map(({ message }) => [message?.title, message?.body]);
  const prefer = (userId: string, change: Partial<NotificationPreferencesDoc>) =>
    notificationPreferencesIn(world.mongo.db).set({
      _id: userId,
      off: [],
      quietHoursStart: null,
      quietHoursEnd: null,
      timeZone: "UTC",
      emailEnabled: false,
      pushEnabled: true,
      changedAt: now(),
      ...change,
    });
  const ONE = ["New follower", "Someone follows you."];

  it("once each, whichever worker does it and however many do at once", async () => {
    const channel = newId();
    const followers = await given.followers(channel, 900, now());
    const reached = followers.slice(0, 850);
    await given.devices(reached);
    await given.happen(liveFact(channel, now()));
    await worker().fanOut();

    const workers = [worker(), worker(world.rival().outbox), worker(world.rival().outbox)];
    for (let n = 0; n < 4; n++) await Promise.all(workers.map(({ deliver }) => deliver()));

    const pushes = await given.pushesTo(followers);
    expect(pushes.map(({ userId }) => userId).sort()).deep.equal(reached.sort());
  });

  it("also beside what nobody here knows: a user's time zone, and what a newer release has written", async () => {
    const [abroad, newer, userId] = [await withDevice(), await withDevice(), await withDevice()];
    const quiet = { quietHoursStart: new Date(0), quietHoursEnd: new Date(HOUR_MS) };
    await prefer(abroad, { ...quiet, timeZone: "Mars/Phobos" });
    await followed(abroad, 1);
    await followed(newer, 1);
    await worker().fanOut();
    const lines = world.mongo.db.collection("notifications");
    await lines.updateOne({ userId: newer }, { $set: { told: { kind: "of_tomorrow", data: {} } } });
    const facts = world.mongo.db.collection<{ _id: string }>("notification_facts");
    const ofTomorrow = { kind: "of_tomorrow", type: "clip", listedAt: null };
    const [fact] = await facts.find({ userId: newer }).toArray();
    await facts.insertOne({ ...fact, ...ofTomorrow, _id: newId() });
    await followed(userId, 1);

    await work();

    expect(await bodies(userId)).deep.equal([ONE]);
    expect(await bodies(abroad)).deep.equal([ONE]);
    expect(await bodies(newer)).deep.equal([]);
    expect((await worker().page(newer, { skip: 0, limit: 10 })).items).deep.equal([]);
    expect(await facts.countDocuments(ofTomorrow)).equal(1);
    await facts.deleteMany(ofTomorrow);
  });

  it("but not what happened more than a day ago, which is in the list alone", async () => {
    const userId = await withDevice();
    await prefer(userId, { emailEnabled: true });
    const daysAgo = (days: number) => new Date(+now() - days * 24 * HOUR_MS);
    await given.happen(followerFact(userId, daysAgo(1)), followerFact(userId, daysAgo(2)));
    await work();

    expect((await worker().page(userId, { skip: 0, limit: 10 })).total).equal(2);
    expect(await bodies(userId)).deep.equal([ONE]);
  });

  it("to each device that is switched on", async () => {
    const userId = await withDevice();
    await given.devices([userId]);
    await given.devices([userId]);
    const devices = pushDevicesCollection.in(world.mongo.db);
    await devices.updateOne({ userId }, { $set: { notificationsEnabled: false } });
    await followed(userId, 1);
    await work();
    expect(await bodies(userId)).deep.equal([ONE, ONE]);
  });

  it("each by itself while they are few, then one for all that come in ten minutes", async () => {
    const userId = await withDevice();
    for (let n = 0; n < 7; n++) {
      await followed(userId, 1);
      await work();
      world.move(MINUTE_MS);
    }
    expect(await bodies(userId)).deep.equal([ONE, ONE, ONE]);

    world.move(3 * MINUTE_MS);
    await work();

    expect(await bodies(userId)).deep.equal([ONE, ONE, ONE, ["4 new notifications", "4 new followers"]]);
    const [, , , digest] = await given.pushesTo([userId]);
    expect(digest?.message).include({ type: "digest", count: 4, link: null });
  });

  it("as one when many come at once", async () => {
    const userId = await withDevice();
    const raidId = newId();
    const data = { raidId, sourceUserId: newId(), viewers: 3 };
    await followed(userId, 40);
    await given.happen({ kind: "raid", ref: raidId, userId, at: now(), data });
    await work();
    expect(await bodies(userId)).deep.equal([["41 new notifications", "40 new followers, 1 raid"]]);
  });

  it("after quiet hours, as one", async () => {
    const [userId, single] = [await withDevice(), await withDevice()];
    const hours = {
      quietHoursStart: new Date(world.clock.now() - HOUR_MS),
      quietHoursEnd: new Date(world.clock.now() + 2 * HOUR_MS),
    };
    for (const one of [userId, single]) await prefer(one, hours);
    await followed(userId, 2);
    await followed(single, 1);
    await work();
    world.move(HOUR_MS);
    await work();
    expect(await bodies(userId)).deep.equal([]);
    expect(await given.notifiedAmong([userId])).length(2);

    world.move(HOUR_MS);
    await work();
    expect(await bodies(userId)).deep.equal([["2 new notifications", "2 new followers"]]);
    expect(await bodies(single)).deep.equal([ONE]);
  });

  it("not in quiet hours that were set meanwhile, but after them", async () => {
    const userId = await withDevice();
    await followed(userId, 1);
    await worker().fanOut();
    await prefer(userId, {
      quietHoursStart: new Date(world.clock.now() - HOUR_MS),
      quietHoursEnd: new Date(world.clock.now() + HOUR_MS),
    });
    await work();
    expect(await bodies(userId)).deep.equal([]);
    world.move(HOUR_MS);
    await work();
    expect(await bodies(userId)).deep.equal([ONE]);
  });

  it("without what was read, deleted or switched off meanwhile", async () => {
    const [reads, deletes] = [await withDevice(), await withDevice()];
    const [off, typeOff] = [await withDevice(), await withDevice()];
    for (const userId of [reads, deletes, off, typeOff]) await followed(userId, 1);
    await worker().fanOut();
    const lines = notificationsCollection.in(world.mongo.db);
    await lines.updateMany({ userId: reads }, { $set: { isRead: true } });
    await lines.deleteMany({ userId: deletes });
    await prefer(off, { pushEnabled: false });
    await prefer(typeOff, { off: ["follower"] });
    await work();
    expect(await given.pushesTo([reads, deletes, off, typeOff])).deep.equal([]);
  });

  it("by mail to who wants it and has a verified address, with the same limits by the hour", async () => {
    const [owner, unproven] = [await world.user(), await world.user()];
    const users = usersCollection.in(world.mongo.db);
    await users.updateOne({ _id: owner }, { $set: { emailVerifiedAt: now() } });
    await users.updateOne({ _id: unproven }, { $set: { emailVerifiedAt: null } });
    for (const userId of [owner, unproven]) {
      await followed(userId, 1);
      await work();
      await prefer(userId, { emailEnabled: true });
    }
    const mailed = async () =>
      (await mailsCollection.in(world.mongo.db).find({ userId: owner }).sort({ createdAt: 1 }).toArray()).map(
        ({ template }) => template,
      );
    expect(await mailed()).deep.equal([]);
    for (let n = 0; n < 5; n++) {
      for (const userId of [owner, unproven]) await followed(userId, 1);
      await work();
      world.move(MINUTE_MS);
    }
    expect(await mailed()).deep.equal(Array(3).fill("notification"));
    world.move(HOUR_MS);
    await work();

    expect(await mailed()).deep.equal([...Array(3).fill("notification"), "notification_digest"]);
    expect(await mailsCollection.in(world.mongo.db).countDocuments({ userId: unproven })).equal(0);
  });
});
