import { expect } from "chai";
import { keys } from "../../../../store/redis/keys.ts";
import { givenBilling } from "../../../support/billing.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("places for texts of acts among held messages", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  let channel: Channel;
  let viewer: Person;
  let rewardId: string;
  beforeEach(async () => {
    channel = await given.channel();
    viewer = await given.followerOf(channel);
    const { owner, at } = channel;
    await owner.api.ok("addBlockedTerm", { params: at, body: { term: "spoiler", action: "hold" } });
    const body = { title: "Play a song", cost: 1, requires_input: true };
    rewardId = (await owner.api.ok("createReward", { body })).id;
  });

  /** As if so many others' messages were held, or texts of their acts. */
  async function othersHeld(count: number, what: "messages" | "acts" = "messages"): Promise<void> {
    const ids = [...Array(count).keys()].map((i) => `${what}${i}`);
    const { redis } = world.core;
    await redis.hset(keys.roomHeld(channel.stream.id), ...ids.flatMap((id) => [id, "0 {}"]));
    if (what === "messages") return;
    const due = world.clock.now() + 300_000;
    await redis.zadd(keys.roomHeldActs(channel.stream.id), ...ids.flatMap((id) => [due, id]));
  }

  const send = (content: string) =>
    viewer.api.call("sendChatMessage", { params: channel.at, body: { content } });
  const tip = (message: string, more: object = {}) =>
    viewer.api.call("createTipCheckout", {
      body: { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD", message, ...more },
    });
  const redeem = (user_input: string) =>
    viewer.api.call("redeemReward", { params: { reward_id: rewardId }, body: { user_input } });
  const balance = async () =>
    (await viewer.api.ok("getPoints", { params: { user_id: channel.owner.id } })).balance;
  const isHeld = (id: string) =>
    eventually(
      async () => {
        const held = await world.core.redis.hexists(keys.roomHeld(channel.stream.id), id);
        expect(held).equal(1);
      },
      { what: "the text is held" },
    );
  async function pay(answer: Awaited<ReturnType<typeof tip>>): Promise<string> {
    expect(answer.status).equal(201);
    await givenBilling(world).press(Object(answer.body).checkout_url, "pay");
    return (await channel.owner.api.ok("listMyTips")).items[0]?.id ?? "";
  }

  it("holds a paid tip's text while chat messages fill their own places", async () => {
    await othersHeld(500);
    expect((await send("a spoiler")).code).equal("unavailable");

    await isHeld(await pay(await tip("a spoiler")));
  });

  it("holds a chat message while texts of acts fill their own places", async () => {
    await othersHeld(500, "acts");
    expect((await redeem("a spoiler")).code).equal("unavailable");

    expect((await send("a spoiler")).status).equal(202);
  });

  it("gives an act's place free once a moderator has decided about its text", async () => {
    const { owner, at } = channel;
    await othersHeld(499, "acts");
    const id = Object((await redeem("a spoiler")).body).id;
    await isHeld(id);
    expect((await redeem("a spoiler")).code).equal("unavailable");

    await owner.api.ok("denyHeldMessage", { params: { ...at, held_id: id } });

    await eventually(async () => (await redeem("a spoiler")).status === 201, { what: "a place is free" });
  });

  it("refuses a checkout and a redemption before payment while no place for acts is left", async () => {
    await othersHeld(500, "acts");
    const before = await balance();

    const refused = [await tip("a spoiler"), await redeem("a spoiler")];

    for (const { code, details } of refused) {
      expect(code).equal("unavailable");
      expect(details).include({ retry_after_ms: 30_000 });
    }
    expect(await balance()).equal(before);
    expect((await channel.owner.api.ok("listRedemptions")).items).deep.equal([]);
    expect([(await tip("fine")).status, (await redeem("fine")).status]).deep.equal([201, 201]);
    expect((await tip("a spoiler", { anonymous: true })).status).equal(201);
  });

  it("refuses an author's eleventh held act in five minutes, before payment", async () => {
    for (let i = 0; i < 10; i++) {
      const { status, body } = await redeem(`spoiler ${i}`);
      expect(status).equal(201);
      await isHeld(Object(body).id);
    }
    const before = await balance();

    for (const { code, details } of [await redeem("spoiler"), await tip("a spoiler")]) {
      expect(code).equal("rate_limited");
      expect(details).include({ bucket: "chat", limit: 10, window_seconds: 300 });
    }

    expect(await balance()).equal(before);
    expect((await redeem("fine")).status).equal(201);
    world.clock.move(300_000);
    expect((await tip("a spoiler")).status).equal(201);
  });

  it("holds ten messages of an author in five minutes beside ten texts of the author's acts", async () => {
    for (let i = 0; i < 9; i++) await isHeld(Object((await redeem(`spoiler ${i}`)).body).id);
    for (let i = 0; i < 10; i++) {
      expect((await send(`spoiler ${i}`)).status).equal(202);
      world.clock.move(11_000);
    }
    expect((await send("spoiler")).code).equal("rate_limited");

    await isHeld(await pay(await tip("a spoiler")));
  });
});
