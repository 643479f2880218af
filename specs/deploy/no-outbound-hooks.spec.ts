import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { givenBilling } from "../support/billing.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import { givenChannels } from "../support/given-channels.ts";
import { watchOutgoing } from "../support/outgoing.ts";
import { openOwnStores } from "../support/own-stores.ts";
import { openWorld, type World } from "../support/world.ts";

describe("Hooks to somebody else, which aren't offered", function () {
  this.timeout(60_000);
  let outgoing: ReturnType<typeof watchOutgoing>;
  let world: World;
  /** Where a front end of the channel's owner would listen for them. */
  let elsewhere: Server;
  let called = 0;

  before(async () => {
    outgoing = watchOutgoing();
    elsewhere = createServer((_, res) => {
      called += 1;
      res.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    world = await openWorld({ clock: movableClock(), sendsMails: true, stores: openOwnStores });
  });
  after(async () => {
    outgoing?.stop();
    await world?.close();
    elsewhere?.close();
  });

  it("are never sent: all that happens leads to the stores, the payment platform and the mail server alone", async () => {
    const given = givenChannels(world);
    const billing = givenBilling(world);
    const { port } = elsewhere.address() as AddressInfo;
    const { MONGODB_URL = "", REDIS_URL = "" } = process.env;
    const channel = await given.channel();
    const website = `http://127.0.0.1:${port}/hooks`;
    await channel.owner.api.ok("updateMe", { body: { social_links: { website } } });

    await given.goLive(channel);
    const fan = await given.followerOf(channel);
    await fan.api.ok("sendChatMessage", { params: channel.at, body: { content: "hello" } });
    const { checkout_url: url } = await fan.api.ok("createSubscriptionCheckout", {
      body: { channel_user_id: channel.owner.id, tier: 1 },
    });
    await billing.press(url, "pay");
    await eventually(async () => (await fan.api.ok("listMySubscriptions")).items.length === 1);
    await channel.owner.api.ok("rotateStreamKey");
    expect((await fan.api.ok("getStream", { params: channel.at })).is_live).equal(false);
    const rows = world.core.mongo.db.collection("outbox");
    await eventually(async () => (await rows.countDocuments()) === 0, { what: "all of it was published" });

    const ports = [MONGODB_URL, REDIS_URL, world.baseUrl, String(url)].map((one) => new URL(one).port);
    const also = [String(world.gateway.port), new URL(String(world.smtpUrl)).port];
    const known = [...ports, ...also].map((one) => `127.0.0.1:${one}`);
    expect(outgoing.reached()).include.members(known.slice(0, 4));
    expect(outgoing.reached().filter((one) => !known.includes(one))).deep.equal([]);
    expect(called).equal(0);
  });
});
