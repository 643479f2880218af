import { expect } from "chai";
import { givenBilling } from "../../support/billing.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { type RoomViewer, viewRoom } from "../../support/room-viewer.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("A gift among people who have blocked each other", () => {
  const { world, given } = setUpWorld();
  let billing: ReturnType<typeof givenBilling>;
  let channel: Channel;
  before(async () => {
    billing = givenBilling(world);
    channel = await given.channel();
  });
  const viewers: RoomViewer[] = [];
  afterEach(() => {
    for (const { client } of viewers.splice(0)) client.close();
  });

  type Gifted = { subscriber: { id: string }; gifted_by: { id: string } | null };

  /** Gifts that are published to the room from now on. */
  async function publishedGifts(): Promise<Gifted[]> {
    const gifts: Gifted[] = [];
    let isSubscribed = false;
    const viewer = viewRoom({
      http: world.baseUrl,
      streamId: channel.stream.id,
      onMessage(message) {
        isSubscribed ||= message.type === "subscribed";
        if (message.type === "subscription.gifted") gifts.push(message.data as Gifted);
      },
    });
    viewers.push(viewer);
    await eventually(() => isSubscribed, { what: "the room is subscribed to" });
    return gifts;
  }

  const gift = (giver: Person, receiver: Person) =>
    giver.api.call("createSubscriptionCheckout", {
      body: { channel_user_id: channel.owner.id, tier: 1, gift_to_user_id: receiver.id },
    });
  const pay = ({ body }: { body: unknown }) =>
    billing.press((body as { checkout_url: string }).checkout_url, "pay");
  const block = (who: Person) => channel.owner.api.ok("blockUser", { params: { user_id: who.id } });

  it("isn't taken from whom the channel has blocked, or who has blocked it", async () => {
    const [giver, receiver, other] = [await given.user(), await given.user(), await given.user()];
    await block(giver);
    expect((await gift(giver, receiver)).code).equal("blocked");
    await other.api.ok("blockUser", { params: { user_id: channel.owner.id } });
    expect((await gift(other, receiver)).code).equal("blocked");
    await other.api.ok("unblockUser", { params: { user_id: channel.owner.id } });
    await receiver.api.ok("blockUser", { params: { user_id: other.id } });
    expect((await gift(other, receiver)).code).equal("blocked");
  });

  it("isn't taken from whom the channel's chat has banned or timed out, as the room would be shown their name", async () => {
    const [giver, receiver] = [await given.user(), await given.user()];
    const params = { ...channel.at, user_id: giver.id };
    await channel.owner.api.ok("timeoutUser", { params, body: { duration_seconds: 60 } });
    expect(await gift(giver, receiver)).include({ status: 403, code: "timed_out" });
    await channel.owner.api.ok("banUser", { params, body: {} });
    expect(await gift(giver, receiver)).include({ status: 403, code: "banned" });
    const own = { body: { channel_user_id: channel.owner.id, tier: 1 } };
    expect((await giver.api.call("createSubscriptionCheckout", own)).status).equal(201);
  });

  it("doesn't reveal to its giver whom the channel has blocked, and is the receiver's; the room receives no blocked name", async () => {
    const [giver, late] = [await given.user(), await given.user()];
    const [blocked, stranger, last] = [await given.user(), await given.user(), await given.user()];
    const gifts = await publishedGifts();
    await block(blocked);
    const answers = [await gift(giver, blocked), await gift(giver, stranger)];
    expect(answers.map(({ status }) => status)).deep.equal([201, 201]);
    const opened = await gift(late, last);
    await block(late);
    for (const answer of [...answers, opened]) expect((await pay(answer)).status).equal(200);
    expect(await world.core.subscriptions.tierOf(blocked.id, channel.owner.id)).equal(1);
    const own = await stranger.api.ok("listMySubscriptions");
    const params = { username: channel.owner.username };
    const { subscription } = await stranger.api.ok("getMyStanding", { params });
    for (const one of [own.items[0], subscription]) expect(one?.gifted_by?.id).equal(giver.id);
    const { items } = await channel.owner.api.ok("listMySubscribers");
    expect(items.filter((one) => "gifted_by" in one)).deep.equal([]);
    await eventually(() => gifts.length >= 2, { what: "the room receives the gifts" });
    const received = gifts.map(({ subscriber, gifted_by }) => [subscriber.id, gifted_by?.id ?? null]);
    expect(received).deep.equal([
      [stranger.id, giver.id],
      [last.id, null],
    ]);
  });
});
