// @waits: for a connection on which nothing is answered to be given up.
import { Queue, Worker } from "bullmq";
import { expect } from "chai";
import { Redis } from "ioredis";
import { newId } from "../../../base/ids.ts";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";
import { processEnvironment } from "../../../deploy/processes/config/environment.ts";
import { createPubSub } from "../../../realtime/rooms/pubsub.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { openRedis, queueRedis } from "../../../store/redis/open.ts";
import { eventually } from "../../support/eventually.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";

const { redisCommand, redisSilence, redisQueueSilence } = PEER_DEADLINES_MS;
/** On a busy machine. */
const SLACK_MS = 1_500;

describe("Redis connections whose packets are dropped", function () {
  this.timeout(60_000);
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  let url: string;
  let redis: RedisConnection;
  let opened: RedisConnection[];
  const onError = () => undefined;

  beforeEach(async () => {
    const direct = new URL(processEnvironment().REDIS_URL ?? "");
    proxy = await openTcpProxy(Number(direct.port));
    direct.port = String(proxy.port);
    url = String(direct);
    redis = await openRedis({ url, deadlineMs: redisCommand, onError });
    opened = [redis];
  });
  afterEach(async () => {
    for (const connection of opened) connection.disconnect();
    await proxy.close();
  });

  const key = () => `spec:${newId()}`;

  /** How long the longest of some commands takes, ms. */
  async function slowest(commands: number): Promise<number> {
    let longest = 0;
    for (let i = 0; i < commands; i++) {
      const from = performance.now();
      await redis.get(key()).catch(() => undefined);
      longest = Math.max(longest, performance.now() - from);
    }
    return longest;
  }

  it("fail each command within its deadline, also while they are opened again, and recover", async () => {
    proxy.blackHole();
    const from = performance.now();
    let longest = 0;
    await eventually(
      async () => {
        longest = Math.max(longest, await slowest(5));
        return performance.now() - from > 2 * redisSilence;
      },
      { withinMs: 30_000 },
    );
    expect(longest).below(redisCommand + SLACK_MS);

    proxy.release();
    await eventually(() => redis.set(key(), "1", "PX", 1_000), { withinMs: redisSilence + 3_000 });
  });

  it("are replaced when they lead nowhere any more, while new ones do", async () => {
    proxy.forgetConnections();
    const from = performance.now();

    await eventually(() => redis.get(key()), { withinMs: redisSilence + SLACK_MS + 1_000 });

    expect(performance.now() - from).above(redisSilence);
    expect(await slowest(20)).below(redisCommand + SLACK_MS);
  });

  it("stay open with a server that answers late", async () => {
    const id = () => (redis instanceof Redis ? redis.client("ID") : null);
    const before = await id();
    proxy.slowDown({ bytesPerMs: 0.05 });
    const from = performance.now();
    await eventually(async () => (await slowest(1)) && performance.now() - from > 2 * redisSilence);

    proxy.slowDown({ bytesPerMs: Number.POSITIVE_INFINITY });

    expect(await eventually(id)).equal(before);
  });

  it("send a queue's commands again on another, and let its worker take jobs again", async () => {
    const [connection, workerConnection] = [queueRedis({ url, onError }), queueRedis({ url, onError })];
    opened.push(connection, workerConnection);
    const [name, prefix] = [newId(), "{spec-silent}"];
    const done: string[] = [];
    const queue = new Queue(name, { connection, prefix });
    const worker = new Worker(name, async (job) => void done.push(job.name), {
      connection: workerConnection,
      prefix,
    });
    queue.on("error", onError);
    worker.on("error", onError);
    await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
    await queue.add("before", null);
    await eventually(() => done.includes("before"));
    proxy.forgetConnections();

    await queue.add("after", null);
    await eventually(() => done.includes("after"), { withinMs: redisQueueSilence });

    expect(done).deep.equal(["before", "after"]);
    await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
  });

  it("let a subscriber receive again after some seconds", async () => {
    const received: string[] = [];
    const channel = createPubSub({ redis, channel: key(), read: String, log: quietLog() });
    await channel.subscribe((text) => received.push(text));
    proxy.forgetConnections();

    await eventually(
      async () => {
        await channel.publish("news");
        return received.length > 0;
      },
      { withinMs: 12_000 },
    );

    await channel.close();
  });
});
