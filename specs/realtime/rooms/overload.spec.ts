// @waits: for a MongoDB that hangs.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { Rooms } from "../../../realtime/rooms/rooms.ts";
import type { SendOutcome } from "../../../realtime/rooms/types.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { eventually } from "../../support/eventually.ts";
import { mongodAddress, throughProxy } from "../../support/mongod-address.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, type Talker, talker } from "./world.ts";

const ROOMS = 30;
const POOL = 40;
/** Two batches of facts with five commands each, and the background's probe of an outage. */
const MOST_OF_FACTS = 15;

describe("admission under overload", function () {
  this.timeout(60_000);
  let world: RoomsWorld;
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  let mongo: Mongo;
  let rooms: Rooms;
  /** Connections to MongoDB that are in use, and the most that were. */
  const used = { now: 0, most: 0 };
  let ready = 0;
  const commands: string[] = [];
  before(async () => {
    world = await openRoomsWorld({ clock: "real" });
    proxy = await openTcpProxy(Number(mongodAddress().port));
    mongo = await connectMongo({
      url: `${throughProxy(mongodAddress(), proxy.port)}&minPoolSize=${POOL}`,
      database: world.db.databaseName,
      selectionTimeoutMs: 3_000,
      maxPoolSize: POOL,
      monitorCommands: true,
    });
    mongo.client.on("connectionReady", () => void ready++);
    mongo.client.on("connectionClosed", () => void ready--);
    mongo.client.on("connectionCheckedOut", () => {
      used.most = Math.max(used.most, ++used.now);
    });
    mongo.client.on("connectionCheckedIn", () => void used.now--);
    mongo.client.on("commandStarted", ({ command }) => void commands.push(String(command.find ?? "")));
    rooms = world.otherRooms({ mongo: mongo.db });
  });
  beforeEach(() => {
    used.most = used.now;
    commands.length = 0;
  });
  after(async () => {
    proxy.release();
    rooms.close();
    await mongo.close();
    await proxy.close();
    await world.close();
  });

  type More = { arrivedAt?: number };
  const send = ({ _id: streamId }: StreamDoc, sender: Talker, content: string, more: More = {}) =>
    rooms.send({ streamId, sender, content, ...more });
  /** A refusal, also one that is thrown. */
  const answerOf = (sent: Promise<SendOutcome>) =>
    sent.catch((err: { code: string; details?: object }) => ({ ok: false as const, ...err }));
  const channels = (count: number) => Promise.all(Array.from({ length: count }, () => world.channel()));
  const textsIn = async ({ _id: streamId }: StreamDoc) =>
    (await world.rooms.history({ streamId, limit: 100 })).items.map(({ content }) => content);

  describe("limits of an author", () => {
    it("counts a message by its arrival, not by when it was decided about", async () => {
      const stream = await world.channel({ slow: true, slowSeconds: 30 });
      const author = talker();
      expect(codeOf(await send(stream, author, "waited", { arrivedAt: performance.now() - 500 }))).equal(
        "admitted",
      );

      const refused = await send(stream, author, "next");

      expect(refused).property("code").oneOf(["rate_limited", "slow_mode"]);
      const waits = codeOf(refused) === "slow_mode" ? 29_500 : 500;
      expect(refused).nested.property("details.retry_after_ms").most(waits);
    });

    it("refuses a message that arrived before one which was admitted meanwhile", async () => {
      const [stream] = await channels(1);
      const author = talker();
      if (!stream) throw new Error("there is no channel");
      await send(stream, author, "first");

      const refused = await send(stream, author, "earlier", { arrivedAt: performance.now() - 500 });

      expect(refused).nested.include({ code: "rate_limited", "details.limit": 1 });
    });
  });

  it("refuses a message that is a second old, before anything is looked up for it", async () => {
    const [stream] = await channels(1);
    if (!stream) throw new Error("there is no channel");

    const answer = await answerOf(send(stream, talker(), "old", { arrivedAt: performance.now() - 1_001 }));

    expect(answer).nested.include({ code: "unavailable" });
    expect(answer).nested.property("details.retry_after_ms").within(1_000, 3_000);
    expect(await textsIn(stream)).deep.equal([]);
  });

  it("looks up members of many rooms with few commands, each by their own room", async () => {
    const [streams, author] = [await channels(ROOMS), talker()];
    for (const stream of streams) await world.rooms.position(stream._id);
    const [closed] = streams;
    if (!closed) throw new Error("there is no channel");
    const block = { blockerId: closed.userId, blockedId: author.userId, createdAt: new Date() };
    await inTransaction(world.stores.mongo.client, (session) => blocksIn(world.db).add(block, session));

    const codes = await Promise.all(streams.map(async (stream) => codeOf(await send(stream, author, "hi"))));

    expect(codes).deep.equal(["blocked", ...streams.slice(1).map(() => "admitted")]);
    expect(commands.filter((name) => name === "subscriptions")).length.below(ROOMS / 2);
  });

  describe("while MongoDB hangs", () => {
    let streams: StreamDoc[];
    const [known, other] = [talker(), talker()];
    beforeEach(async () => {
      streams = await channels(ROOMS);
      for (const stream of streams) expect(codeOf(await send(stream, known, "hello"))).equal("admitted");
      for (const stream of streams) expect(codeOf(await send(stream, other, "hello"))).equal("admitted");
      // While it hangs no connection can be opened: these are there to be used.
      await eventually(() => ready > POOL / 2);
      used.most = used.now;
      proxy.hold();
    });
    afterEach(async () => {
      proxy.release();
      const [stream] = streams;
      if (!stream) return;
      // Until the driver has given up what was lost.
      await eventually(() => mongo.ping(), { withinMs: 15_000 });
    });

    it("refuses unknown authors after a second, for good, and admits known ones", async () => {
      const [stream] = streams;
      if (!stream) throw new Error("there is no channel");
      const stranger = talker();
      const waiting = answerOf(send(stream, stranger, "waits"));

      await eventually(async () => expect(codeOf(await send(stream, known, newId()))).equal("admitted"));
      const answer = await waiting;
      proxy.release();

      expect(answer).nested.include({ code: "unavailable" });
      expect(answer).nested.property("details.retry_after_ms").within(1_000, 3_000);
      await eventually(async () => expect(codeOf(await send(stream, stranger, "again"))).equal("admitted"), {
        withinMs: 15_000,
      });
      expect(await textsIn(stream))
        .include("again")
        .and.not.include("waits");
    });

    it("leaves most of the worker's connections to everything else", async () => {
      const sent = streams.flatMap((stream) =>
        Array.from({ length: 10 }, () => answerOf(send(stream, talker(), "waits"))),
      );

      const answers = await Promise.all(sent);

      expect(used.most).most(MOST_OF_FACTS);
      expect(new Set(answers.map((answer) => (answer.ok ? "admitted" : answer.code)))).deep.equal(
        new Set(["unavailable"]),
      );
    });
  });
});
