import { expect } from "chai";
import { MINUTE_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { notificationDeliveriesCollection } from "../../../store/mongo/notifications/notification-deliveries.ts";
import { notificationFactsCollection } from "../../../store/mongo/notifications/notification-facts.ts";
import { notificationsCollection } from "../../../store/mongo/notifications/notifications.ts";
import { followerFact, liveFact, notificationsOf, setUpFacts } from "./given-facts.ts";

/** As a newer release may have it. */
type Newer = { _id: string; kind: string; toFollowers: boolean; listedAt: Date | null };
type NewerDelivery = { _id: string; userId: string; way: string; doneAt: Date | null };
type NewerLine = { _id: number; userId: string; told: { kind: string; data: object } };

describe("What a newer release has written, of a kind that this one doesn't know,", () => {
  const { world, given } = setUpFacts();

  const now = () => new Date(world.clock.now());
  const worker = () =>
    notificationsOf({ mongo: world.mongo, outbox: world.outbox, clock: world.clock, log: world.deps.log });

  /** Facts as a newer release leaves them. */
  async function happensLater(userId: string, kind: string, more: object = {}): Promise<string> {
    const _id = `${kind}:${newId()}:${userId}`;
    const fact = { _id, kind, type: "follower", userId, data: { giftId: newId() }, createdAt: now() };
    await notificationFactsCollection
      .in<Newer>(world.mongo.db)
      .insertOne({ ...fact, toFollowers: false, listedAt: null, ...more });
    return _id;
  }
  const waits = async (_id: string) =>
    (await notificationFactsCollection.in<Newer>(world.mongo.db).findOne({ _id }))?.listedAt === null;

  it("waits for one that does, and keeps nothing else waiting", async () => {
    const [owner, channel] = [newId(), newId()];
    const left: string[] = [];
    for (let n = 0; n < 210; n++) left.push(await happensLater(owner, "level"));
    for (let n = 0; n < 5; n++) left.push(await happensLater(channel, "premiere", { toFollowers: true }));
    left.push(await happensLater(owner, "constructor"));
    world.move(1);
    const followers = await given.followers(channel, 3, now());
    await given.happen(followerFact(owner, now()), liveFact(channel, now()));

    await worker().fanOut();

    expect(await given.notifiedAmong([owner, ...followers])).deep.equal([owner, ...followers].sort());
    expect(await Promise.all(left.map(waits))).deep.equal(left.map(() => true));
    const logged = world.lines.filter(({ message }) => message.startsWith("notifications of a kind"));
    expect(logged.map(({ level }) => level)).deep.equal(["warn"]);
  });

  it("waits in the same way for delivery by a way that this one doesn't know", async () => {
    const [owner, other] = [newId(), newId()];
    await given.devices([owner, other]);
    await given.happen(followerFact(owner, now()), followerFact(other, now()));
    await worker().fanOut();
    const deliveries = notificationDeliveriesCollection.in<NewerDelivery>(world.mongo.db);
    await deliveries.updateOne({ userId: owner }, { $set: { way: "carrier pigeon" } });

    await worker().deliver();

    expect((await given.pushesTo([owner, other])).map(({ userId }) => userId)).deep.equal([other]);
    expect((await deliveries.findOne({ userId: owner }))?.doneAt).equal(null);
  });

  it("is left out of lists, pushes and mails, which have all else", async () => {
    const owner = newId();
    await given.devices([owner]);
    await given.happen(followerFact(owner, now()), followerFact(owner, now()));
    await worker().fanOut();
    const lines = notificationsCollection.in<NewerLine>(world.mongo.db);
    const newer = await lines.findOneAndUpdate(
      { userId: owner },
      { $set: { told: { kind: "level", data: { level: 3 } } } },
      { returnDocument: "after" },
    );

    expect((await worker().page(owner, { skip: 0, limit: 10 })).items.map(({ type }) => type)).deep.equal([
      "follower",
    ]);
    await worker().deliver();

    const pushes = await given.pushesTo([owner]);
    expect(pushes.map(({ message }) => message?.title)).deep.equal(["New follower"]);
    const row = await notificationDeliveriesCollection
      .in(world.mongo.db)
      .findOne({ notificationId: newer?._id ?? 0 });
    expect(row).include({ doneAt: null, messageId: null });
    expect(row?.dueAt.getTime()).greaterThan(world.clock.now());
    world.move(11 * MINUTE_MS);
    await worker().deliver();
    expect((await given.pushesTo([owner])).length).equal(1);
  });
});
