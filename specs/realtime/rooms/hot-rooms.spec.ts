// @alone: it measures how long shards stay hot.
import { createConnection, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import type { Redis } from "ioredis";
import { newId } from "../../../base/ids.ts";
import type { LiveEvent } from "../../../realtime/rooms/event.ts";
import { HotShards } from "../../../realtime/rooms/hot-shards.ts";
import { createTail } from "../../../realtime/rooms/tail.ts";
import { connectRedis } from "../../../store/redis/connect.ts";
import { keys, SHARDS, shardOf } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { openRoomsWorld, quiet, type RoomsWorld } from "./world.ts";

function streamIn(shard: number): string {
  for (;;) {
    const id = newId();
    if (shardOf(id) === shard) return id;
  }
}

describe("the shards of hot rooms", () => {
  const noted = (hotShards: HotShards, streamId: string, times: number) => {
    for (let n = 0; n < times; n++) hotShards.note(streamId);
  };

  it("are those in which one room is hot, not those with many quiet ones", () => {
    const hotShards = new HotShards();
    noted(hotShards, streamIn(3), 150);
    for (let room = 0; room < 300; room++) noted(hotShards, streamIn(5), 2);

    expect([...hotShards.judge(1)]).deep.equal([3]);
  });

  it("stay hot until the room has half of that, and cool when it is silent", () => {
    const hotShards = new HotShards();
    const room = streamIn(3);
    const hotAt = (perSecond: number) => {
      noted(hotShards, room, perSecond / 2);
      return hotShards.judge(0.5).has(3);
    };

    expect([140, 150, 90, 60, 90].map(hotAt)).deep.equal([false, true, true, false, false]);
    expect(hotAt(150)).equal(true);
    expect(hotShards.judge(0.5).size).equal(0);
  });

  it("are half of all at most, the hottest", () => {
    const hotShards = new HotShards();
    for (let shard = 0; shard < SHARDS; shard++) noted(hotShards, streamIn(shard), 200 + shard);

    const hot = [8, 9, 10, 11, 12, 13, 14, 15];
    expect([...hotShards.judge(1)].sort((a, b) => a - b)).deep.equal(hot);
    for (let shard = 0; shard < SHARDS; shard++) noted(hotShards, streamIn(shard), 200 - shard);
    expect(
      [...hotShards.judge(1)].sort((a, b) => a - b),
      "they stay",
    ).deep.equal(hot);
  });
});

describe("a hot room's events", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld({ clock: "real" });
  });
  after(async () => {
    // No archive takes them away, and a shard holds only so many.
    while (added.length > 0) await world.redis.xdel(keys.shardLive(3), ...added.splice(0, 1_000));
    await world.close();
  });

  const added: string[] = [];
  const append = async (redis: Redis, stream: string, seq: number): Promise<string> =>
    (await redis.xadd(keys.shardLive(3), "*", `${stream} 1 ${seq}`, "{}")) ?? "";

  it("are read in intervals, each of them and in order, when it becomes hot, cools and is hot again", async () => {
    const stream = streamIn(3);
    const reads: LiveEvent[][] = [];
    let head = 0;
    const missed: number[] = [];
    const tail = world.rooms.tail({
      onPossibleGap: () => undefined,
      onEvents(events) {
        reads.push(events);
        // As a feed does: what it has already is dropped, what doesn't follow is a gap.
        for (const { seq } of events) {
          if (seq > head + 1) missed.push(seq);
          head = Math.max(head, seq);
        }
      },
    });
    let appended = 0;
    const appendNext = async () => void added.push(await append(world.redis, stream, ++appended));
    const readsOf = (from: number) => reads.length - from;
    const appendAndRead = async () => {
      await appendNext();
      while (head < appended) await new Promise(setImmediate);
    };
    /** Of two events in a row the second would wait in a hot room. Called rarely, so that this keeps nothing hot. */
    async function isPrompt(): Promise<boolean> {
      await pause(150);
      await appendAndRead();
      const begun = performance.now();
      await appendAndRead();
      return performance.now() - begun < 8;
    }

    await tail.watch(stream);
    for (let round = 0; round < 2; round++) {
      const until = performance.now() + 2_000; // judged every half second, and connected first
      let [since, appendedThen] = [0, 0];
      while (performance.now() < until) {
        await appendNext();
        // It is hot by now: the second half counts.
        if (since === 0 && performance.now() > until - 500) [since, appendedThen] = [reads.length, appended];
      }
      await eventually(() => head === appended, { what: "all are read" });
      expect(appended - appendedThen, "events of half a second").above(200);
      expect(readsOf(since), "reads of half a second").most(60);

      await eventually(isPrompt, { what: "it cools" });
    }

    expect(missed).deep.equal([]);
    await tail.close();
  });

  it("go on being read at once when the connection for hot ones never answers", async () => {
    const line = await openLine(world.redis.options.port ?? 6379);
    const redis = connectRedis({ url: line.url, deadlineMs: 2_000, onError: () => undefined });
    await redis.connect();
    const stream = streamIn(3);
    let head = 0;
    const tail = createTail({
      redis,
      log: quiet,
      handlers: {
        onPossibleGap: () => undefined,
        onEvents(events) {
          head += events.length;
        },
      },
    });
    await tail.watch(stream);
    const appendNext = async () => void added.push(await append(redis, stream, head + 1));
    await appendNext();
    await eventually(() => head === 1);

    line.goDeaf();
    const until = performance.now() + 2_500;
    let slowestMs = 0;
    for (let appended = 2; performance.now() < until; appended++) {
      const begun = performance.now();
      await appendNext();
      while (head < appended) await new Promise(setImmediate);
      slowestMs = Math.max(slowestMs, performance.now() - begun);
    }

    expect(line.deaf(), "connections that were never answered").least(1);
    expect(slowestMs, "an event until it was read, ms").most(300);
    const closed = tail.close();
    await line.close();
    await closed;
    redis.disconnect();
  });
});

/** Leads to Redis; from some moment on new connections are taken, and never answered. */
async function openLine(port: number) {
  let isDeaf = false;
  let deaf = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client.on("error", () => undefined));
    if (isDeaf) {
      deaf++;
      client.resume();
      return;
    }
    const upstream = createConnection({ port, host: "127.0.0.1", noDelay: true });
    sockets.add(upstream.on("error", () => undefined));
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const own = typeof address === "object" && address ? address.port : 0;
  return {
    url: Object.assign(new URL(process.env.REDIS_URL ?? ""), { host: `127.0.0.1:${own}` }).href,
    goDeaf: () => {
      isDeaf = true;
    },
    deaf: () => deaf,
    async close(): Promise<void> {
      const closed = new Promise<void>((done) => void server.close(() => done()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
