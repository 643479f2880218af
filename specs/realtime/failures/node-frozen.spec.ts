// @waits: for a frozen node to be noticed.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { createConnections } from "../../../realtime/rooms/connections.ts";
import { createPresence } from "../../../realtime/rooms/presence.ts";
import { createPubSub } from "../../../realtime/rooms/pubsub.ts";
import { keys, SHARDS } from "../../../store/redis/keys.ts";
import { addressOf, anyNode, nodeOf, type RedisConnection } from "../../../store/redis/nodes.ts";
import { openRedis } from "../../../store/redis/open.ts";
import { eventually } from "../../support/eventually.ts";
import { type OwnCluster, openCluster } from "../../support/own-cluster.ts";
import { quietLog } from "../../support/quiet-log.ts";

/** That none of so many takes the one node of three that hangs happens once in 3,000 times. */
const SUBSCRIBERS = 20;
/** To notice that nothing comes (2 s), and to subscribe elsewhere. */
const RECEIVES_WITHIN_MS = 8_000;

describe("One master of a Redis cluster that hangs", function () {
  this.timeout(60_000);
  let cluster: OwnCluster;
  let redis: RedisConnection;
  let frozen: string;
  let elsewhere: number;
  let thaw: () => void;
  const close: (() => unknown)[] = [];

  before(async () => {
    cluster = await openCluster();
    redis = await openRedis({ url: cluster.url, deadlineMs: 250, onError: () => undefined });
    const { port } = nodeOf(redis, keys.gateways).options;
    const masters = await Promise.all([...Array(SHARDS).keys()].map(cluster.masterOf));
    elsewhere = masters.findIndex((master) => master !== port);
    frozen = addressOf(nodeOf(redis, keys.gateways));
    thaw = await cluster.freezeMasterOf(masters.indexOf(port ?? 0));
  });
  after(async () => {
    thaw?.();
    for (const part of close) await part();
    redis?.disconnect();
    await cluster?.close();
  });

  it("keeps nobody from receiving what is published: subscribers of it go elsewhere", async () => {
    const received: string[] = [];
    const subscribed = Array.from({ length: SUBSCRIBERS }, (_, n) => {
      const channel = createPubSub({ redis, channel: "spec", read: String, log: quietLog() });
      close.push(channel.close);
      return channel.subscribe((text) => received.push(`${n} ${text}`));
    });

    await eventually(
      async () => {
        received.length = 0;
        await nodeOf(redis, keys.shardLive(elsewhere)).publish("spec", '"news"');
        await eventually(() => expect(received).length(SUBSCRIBERS), { withinMs: 200 });
      },
      { withinMs: RECEIVES_WITHIN_MS },
    );
    await Promise.all(subscribed);
  });

  it("is not taken twice in a row, nor for what any node can do once it owes an answer", async () => {
    const drawn = (unlike: string | null) =>
      new Set(Array.from({ length: 100 }, () => addressOf(anyNode(redis, { unlike }))));
    const other = addressOf(nodeOf(redis, keys.shardLive(elsewhere)));
    expect(drawn(other)).not.include(other);

    await redis.get(keys.gateways).catch(() => undefined); // refused, after the deadline

    expect(drawn(null)).include(other).and.not.include(frozen);
    expect(drawn(other)).length(1).and.not.include(frozen);
  });

  it("takes its own streams' viewer counts away, and no others'", async () => {
    const presence = createPresence({ redis });
    const streamIds = Array.from({ length: 60 }, () => newId());
    const isThere = (streamId: string) => addressOf(nodeOf(redis, keys.viewers(streamId))) !== frozen;
    const others = streamIds.filter(isThere);
    expect(others.length).within(1, 59);
    for (const streamId of others) await presence.heartbeat({ streamId, viewer: { userId: newId() } });

    const counts = await presence.countEach(streamIds);

    expect([...counts.keys()]).have.members(others);
    expect([...counts.values()].every((count) => count === 1)).equal(true);
    const lost = streamIds.filter((streamId) => !isThere(streamId));
    const refusal: unknown = await presence.countEach(lost).catch((err: unknown) => err);
    expect(refusal).include({ code: "unavailable" });
  });

  it("leaves a room's connections unknown, which are then 0", async () => {
    expect(await createConnections(redis).count(newId())).equal(0);
  });
});
