import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { inTransaction } from "../../../../store/mongo/driver/transaction.ts";
import { openWorld, type World } from "../../host/world.ts";

describe("points", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  it("give 300 for a follow, once per pair for life", async () => {
    const [viewer, channel] = [newId(), newId()];

    const both = await Promise.all([
      world.points.earnFollow(viewer, channel),
      world.points.earnFollow(viewer, channel),
    ]);
    const later = await world.points.earnFollow(viewer, channel);

    expect(both.filter((earned) => earned.applied)).length(1);
    expect(later.applied).equal(false);
    expect(await world.points.balance(viewer, channel)).deep.equal({ balance: 300, lifetimeEarned: 300 });
  });

  it("give 10 for a window of presence, once for each window", async () => {
    const [viewer, channel, stream] = [newId(), newId(), newId()];

    await Promise.all(
      [1, 2, 2, 3].map((window) =>
        world.points.earnPresence({ userId: viewer, channelUserId: channel, streamId: stream, window }),
      ),
    );

    expect(await world.points.balance(viewer, channel)).deep.equal({ balance: 30, lifetimeEarned: 30 });
    const { items, total } = await world.points.ledger(viewer, channel, { skip: 0, limit: 2 });
    expect(total).equal(3);
    expect(
      items.map(({ delta, reason, ref, balanceAfter }) => ({ delta, reason, ref, balanceAfter })),
    ).deep.equal([
      { delta: 10, reason: "presence", ref: stream, balanceAfter: 30 },
      { delta: 10, reason: "presence", ref: stream, balanceAfter: 20 },
    ]);
  });

  it("are nothing where nothing was earned", async () => {
    expect(await world.points.balance(newId(), newId())).deep.equal({ balance: 0, lifetimeEarned: 0 });
  });

  it("take part in a transaction: without it there is nothing", async () => {
    const [viewer, channel] = [newId(), newId()];
    const undone = inTransaction(world.mongo.client, async (session) => {
      await world.points.earnFollow(viewer, channel, session);
      throw new Error("not after all");
    });
    expect(await undone.catch((err: unknown) => String(err))).contain("not after all");
    expect((await world.points.balance(viewer, channel)).balance).equal(0);

    await inTransaction(world.mongo.client, (session) => world.points.earnFollow(viewer, channel, session));
    await inTransaction(world.mongo.client, (session) => world.points.earnFollow(viewer, channel, session));

    expect((await world.points.balance(viewer, channel)).balance).equal(300);
  });

  it("notify their owner of every change", async () => {
    const [viewer, channel] = [newId(), newId()];
    await world.points.earnFollow(viewer, channel);
    await world.outbox.idle();

    expect(world.privateEvents.filter((one) => one.userId === viewer)).deep.equal([
      {
        userId: viewer,
        type: "points.changed",
        data: { channel_user_id: channel, balance: 300, delta: 300, reason: "follow", version: 1 },
      },
    ]);
  });

  it("list a user's channels, richest first", async () => {
    const viewer = newId();
    const [one, two] = [newId(), newId()];
    await world.points.earnPresence({ userId: viewer, channelUserId: one, streamId: newId(), window: 1 });
    await world.points.earnFollow(viewer, two);

    const { items, total } = await world.points.balances(viewer, { skip: 0, limit: 10 });

    expect(total).equal(2);
    expect(items.map(({ channelUserId, balance }) => [channelUserId, balance])).deep.equal([
      [two, 300],
      [one, 10],
    ]);
  });

  it("stay exact when twenty earnings of one account come at once", async () => {
    const [viewer, channel] = [newId(), newId()];

    await Promise.all(
      Array.from({ length: 20 }, (_, window) =>
        world.points.earnPresence({ userId: viewer, channelUserId: channel, streamId: "s", window }),
      ),
    );

    const { items } = await world.points.ledger(viewer, channel, { skip: 0, limit: 100 });
    expect(items.map((entry) => entry.seq)).deep.equal(Array.from({ length: 20 }, (_, i) => 20 - i));
    expect((await world.points.balance(viewer, channel)).balance).equal(200);
  });
});
