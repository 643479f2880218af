import { expect } from "chai";
import { monthsAfter } from "../../../../actors/monetization/subscription/paid-time.ts";
import { newId } from "../../../../base/ids.ts";
import { type HookDoc, hooksCollection } from "../../../../store/mongo/monetization/hooks.ts";
import { platformCallsCollection } from "../../../../store/mongo/monetization/platform-calls.ts";
import { eventually } from "../../../support/eventually.ts";
import { openWorld, type World } from "../../host/world.ts";
import { type Paying, payingOf } from "./paying.ts";

const DAY = 86_400_000;

describe("Reports of payments that come late", () => {
  let world: World;
  let paying: Paying;
  before(async () => {
    world = await openWorld();
    const { mongo, clock, deps } = world;
    paying = payingOf({ mongo, clock, log: deps.log, actors: world });
  });
  after(() => world.close());

  const reportsOf = (checkoutId: string, type: string) =>
    hooksCollection.in(world.mongo.db).find({ type, "event.data.checkout_id": checkoutId }).toArray();
  const stateOf = async (checkoutId: string, type: HookDoc["type"]) => {
    const [doc] = await reportsOf(checkoutId, type);
    return doc && { state: doc.state, reason: doc.reason, isKept: doc.expiresAt === null };
  };
  /** The mark is written soon after it was applied. */
  const applied = (checkoutId: string, type: HookDoc["type"]) =>
    eventually(async () => (await stateOf(checkoutId, type))?.state === "applied", {
      withinMs: 5_000,
      what: type,
    });
  const endedAtThePlatform = async (checkoutId: string) =>
    platformCallsCollection
      .in(world.mongo.db)
      .countDocuments({ call: { kind: "end", platformId: `of ${checkoutId}` } });
  const entitledUntil = async (id: string) => (await world.subscriptions.require(id)).entitledUntil.getTime();

  /** A subscription that ran out since nothing more was paid, and when its renewal was due. */
  async function over() {
    const stream = await world.stream();
    const people = { subscriberId: await world.user(), channelUserId: stream.userId };
    const [checkout, id] = [newId(), newId()];
    const dueAt = monthsAfter(world.clock.now(), 1);
    await paying.beginSubscription(checkout, id, people);
    await paying.checkoutPaid(checkout);
    await world.pass(dueAt - world.clock.now() + 8 * DAY);
    expect((await world.subscriptions.require(id)).status).equal("expired");
    return { people, checkout, id, dueAt };
  }

  async function bought(people: { subscriberId: string; channelUserId: string }) {
    const [checkout, id] = [newId(), newId()];
    await paying.beginSubscription(checkout, id, people);
    return { checkout, id };
  }

  it("of one that was over are set aside beside a newer one, and what they bill ends", async () => {
    const old = await over();
    const { checkout, id } = await bought(old.people);
    await paying.checkoutPaid(checkout);

    await paying.renewed(old.checkout, old.id, old.dueAt + 3_600_000);

    const { state, reason, isKept } = (await stateOf(old.checkout, "subscription.renewed")) ?? {};
    expect({ state, reason, isKept }).deep.equal({
      state: "set_aside",
      reason: "another subscription is current",
      isKept: true,
    });
    expect((await world.subscriptions.require(id)).status).equal("active");
    expect(await endedAtThePlatform(old.checkout)).greaterThan(0);
  });

  it("of one that is over are set aside when they were paid after the end, and what they bill ends", async () => {
    const old = await over();
    await platformCallsCollection.in(world.mongo.db).deleteMany({});

    await paying.renewed(old.checkout, old.id, world.clock.now());

    expect((await stateOf(old.checkout, "subscription.renewed"))?.reason).equal("this payment isn't owed");
    expect(await endedAtThePlatform(old.checkout)).equal(1);
  });

  it("bring an older one back, and a checkout that was begun meanwhile extends that", async () => {
    const old = await over();
    const { checkout, id } = await bought(old.people);
    await paying.renewed(old.checkout, old.id, old.dueAt + 3_600_000);
    expect((await world.subscriptions.require(old.id)).status).not.equal("expired");
    const before = await entitledUntil(old.id);

    await paying.checkoutPaid(checkout);

    await applied(checkout, "checkout.completed");
    expect(await world.subscriptions.find(id)).equal(null);
    expect(await entitledUntil(old.id)).greaterThan(before);
    // One thing is billed, and its renewals are booked where its first payment went.
    expect(await endedAtThePlatform(old.checkout)).greaterThan(0);
    await paying.renewed(checkout, id, monthsAfter(world.clock.now(), 1));
    await applied(checkout, "subscription.renewed");
  });

  it("of something that never comes are kept for somebody to look at, not forgotten", async () => {
    const checkout = newId();
    await paying.renewed(checkout, newId());
    expect((await stateOf(checkout, "subscription.renewed"))?.state).equal("waiting");
    world.move(30 * DAY - 1_000);
    await paying.sweep();
    expect((await stateOf(checkout, "subscription.renewed"))?.state).equal("waiting");

    world.move(1_000);
    await paying.sweep();

    expect(await stateOf(checkout, "subscription.renewed")).deep.equal({
      state: "set_aside",
      reason: "what it is about never came",
      isKept: true,
    });
  });
});
