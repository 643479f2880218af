import { expect } from "chai";
import { HOUR_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { blocksCollection } from "../../../store/mongo/channels/blocks.ts";
import {
  MAX_NOTIFICATIONS,
  notificationsCollection,
} from "../../../store/mongo/notifications/notifications.ts";
import { eventually } from "../../support/eventually.ts";
import { followerFact, liveFact, notificationsOf, setUpFacts } from "./given-facts.ts";

describe("notification facts become lines of lists,", () => {
  const { world, given } = setUpFacts();

  const now = () => new Date(world.clock.now());
  const worker = (outbox = world.outbox) =>
    notificationsOf({ mongo: world.mongo, outbox, clock: world.clock });
  const events = () => world.privateEvents.filter(({ type }) => type === "notification");

  it("once each, whichever worker does it and however many do at once, with an event each", async () => {
    const owner = newId();
    const followers = await given.followers(owner, 1_201, now());
    const owners = Array.from({ length: 450 }, newId);
    await given.happen(liveFact(owner, now()), ...owners.map((userId) => followerFact(userId, now())));

    const workers = [worker(), worker(world.rival().outbox), worker(world.rival().outbox)];
    for (let n = 0; n < 4; n++) await Promise.all(workers.map(({ fanOut }) => fanOut()));
    const isToAll = () =>
      new Set(events().map(({ userId }) => userId)).size >= followers.length + owners.length;
    await eventually(isToAll, { what: "sockets get the event" });

    const all = [...followers, ...owners].sort();
    expect(await given.notifiedAmong(all)).deep.equal(all);
    const received = events().filter(({ userId }) => all.includes(userId));
    expect([...new Set(received.map(({ userId }) => userId))].sort()).deep.equal(all);
    expect(received.every(({ data }) => data.unread_count === 1)).equal(true);
  });

  it("a channel with many followers in turns, in which others aren't kept waiting", async () => {
    const [big, small, fan] = [newId(), newId(), newId()];
    const many = await given.followers(big, 1_100, now());
    await given.happen(liveFact(big, now()));
    world.move(1);
    const few = await given.followers(small, 3, now());
    await given.happen(liveFact(small, now()), followerFact(fan, now()));
    const { fanOut } = worker();

    await fanOut(() => false);

    expect((await given.notifiedAmong(many)).length).equal(500);
    expect(await given.notifiedAmong([...few, fan])).deep.equal([...few, fan].sort());
    await fanOut(() => false);
    expect((await given.notifiedAmong(many)).length).equal(1_000);
    await fanOut();
    expect(await given.notifiedAmong(many)).deep.equal(many.sort());
  });

  it("many small channels without the rests of large ones", async () => {
    const channels = Array.from({ length: 48 }, newId);
    const followers: string[] = [];
    for (const channel of channels) {
      followers.push(...(await given.followers(channel, 1, now())));
      await given.happen(liveFact(channel, now()));
    }
    const begun = performance.now();
    await worker().fanOut();

    expect(await given.notifiedAmong(followers)).deep.equal(followers.sort());
    // A rest of 150 ms after each would be more than seven seconds.
    expect(performance.now() - begun).below(5_000);
  });

  it("not to who followed later, nor when the broadcast is long over", async () => {
    const [owner, other] = [newId(), newId()];
    await given.happen(liveFact(owner, now()));
    world.move(1_000);
    const later = await given.followers(owner, 2, now());
    const early = await given.followers(other, 2, new Date(+now() - 8 * HOUR_MS));
    await given.happen(liveFact(other, new Date(+now() - 7 * HOUR_MS)));
    await worker().fanOut();

    expect(await given.notifiedAmong([...later, ...early])).deep.equal([]);
  });

  it("not what people do of whom one has blocked the other", async () => {
    const owner = newId();
    const [blocked, follows] = [followerFact(owner, now()), followerFact(owner, now())];
    const blockedId = blocked.ref;
    const row = { _id: `${owner}:${blockedId}`, blockerId: owner, blockedId, createdAt: now() };
    await blocksCollection.in(world.mongo.db).insertOne(row);
    await given.happen(blocked, follows);
    await worker().fanOut();

    const { items } = await worker().page(owner, { skip: 0, limit: 10 });
    const lines = await notificationsCollection.in(world.mongo.db).find({ userId: owner }).toArray();
    expect(lines.map(({ told }) => told)).deep.equal([
      { kind: "follower", data: { followerId: follows.ref } },
    ]);
    // It has no account here.
    expect(items.map(({ message, link }) => [message, link])).deep.equal([
      ["Someone follows you.", undefined],
    ]);
  });

  it("of which a user keeps the newest", async () => {
    const owner = newId();
    const at = (n: number) => new Date(+now() + n);
    const facts = Array.from({ length: MAX_NOTIFICATIONS + 30 }, (_, n) => followerFact(owner, at(n)));
    await given.happen(...facts);
    await worker().fanOut();

    const { items, total } = await worker().page(owner, { skip: MAX_NOTIFICATIONS - 1, limit: 10 });
    expect(total).equal(MAX_NOTIFICATIONS);
    expect(items.map(({ created_at }) => created_at)).deep.equal([at(30).toISOString()]);
    expect(await worker().unread(owner)).equal(MAX_NOTIFICATIONS);
    expect(events().at(-1)?.data.unread_count).equal(MAX_NOTIFICATIONS);
  });
});
