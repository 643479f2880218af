// @waits: for a MongoDB behind a slow line.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { startChatArchive } from "../../../jobs/chat/archive/chat-archive.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { keys, shardOf } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { mongodAddress, throughProxy } from "../../support/mongod-address.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";
import { openRoomsWorld, quiet, type RoomsWorld } from "../rooms/world.ts";

const MESSAGES = 100;
const CONTENT = "x".repeat(8_000);
/** All of them at once would take 700 ms and more, half of them some 370. */
const SLOW = { bytesPerMs: 1_100 };
const ANSWERS_WITHIN_MS = 600;
const PATIENT_MS = 20_000;

describe("The archive of chat, while MongoDB", () => {
  let world: RoomsWorld;
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  const opened: Mongo[] = [];
  let stream: StreamDoc;
  let live: string;

  beforeEach(async () => {
    world = await openRoomsWorld();
    stream = await world.channel();
    live = keys.shardLive(shardOf(stream._id));
    proxy = await openTcpProxy(Number(mongodAddress().port));
  });
  afterEach(async () => {
    for (const mongo of opened.splice(0)) await mongo.close();
    await proxy.close();
    await world.redis.del(live, keys.archiveLease(0));
    await world.close();
  });

  async function start({ socketTimeoutMs }: { socketTimeoutMs: number }) {
    const mongo = await connectMongo({
      url: throughProxy(mongodAddress(), proxy.port),
      database: world.db.databaseName,
      selectionTimeoutMs: 5_000,
      maxPoolSize: 2,
      socketTimeoutMs,
      retryWrites: false,
    });
    opened.push(mongo);
    return startChatArchive({ redis: world.redis, archiveDb: mongo.db, log: quiet });
  }
  const archived = () => world.db.collection("chat_messages").countDocuments({ streamId: stream._id });
  const sendAll = () => Promise.all(Array.from({ length: MESSAGES }, (_, i) => append(i + 1)));

  function append(seq: number) {
    const message = { uuid: newId(), user_id: newId(), content: CONTENT, timestamp: Date.now() };
    const event = `{"type":"chat.message","data":${JSON.stringify(message)}}`;
    return world.redis.xadd(live, "*", `${stream._id} 1 ${seq}`, event);
  }

  it("is too slow for all that waits, archives and acknowledges it in smaller batches", async () => {
    await sendAll();
    proxy.slowDown(SLOW);
    const archive = await start({ socketTimeoutMs: ANSWERS_WITHIN_MS });
    try {
      await eventually(
        async () => {
          expect(await archived()).equal(MESSAGES);
          expect((await world.redis.xpending(live, "archive"))[0]).equal(0);
        },
        { withinMs: 15_000 },
      );
    } finally {
      await archive.stop();
    }
  });

  it("hangs, keeps no process from ending", async () => {
    const archive = await start({ socketTimeoutMs: PATIENT_MS });
    await append(1);
    await eventually(async () => expect(await archived()).equal(1));
    proxy.hold();
    await append(2);
    await eventually(async () => expect((await world.redis.xpending(live, "archive"))[0]).equal(1));
    const startedAt = performance.now();

    await archive.stop();

    expect(performance.now() - startedAt).below(4_500);
    expect((await world.redis.xpending(live, "archive"))[0]).equal(1);
  });
});
