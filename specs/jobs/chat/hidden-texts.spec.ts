import { expect } from "chai";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { runDeletedTexts } from "../../../jobs/chat/deleted-texts/remove.ts";
import { chatHiddenCollection } from "../../../store/mongo/chat/chat-hidden.ts";
import { type ChatMessageDoc, chatMessagesCollection } from "../../../store/mongo/chat/chat-messages.ts";
import { hiddenTextsIn } from "../../../store/mongo/live/hidden-texts.ts";
import { isServed } from "../../store/plans/query-plans.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openStores, type Stores } from "../../support/stores.ts";

const EPOCH = 2;

describe("messages hidden by a position", () => {
  let own: Stores;
  beforeEach(async () => {
    own = await openOwnStores();
  });
  afterEach(() => own.close());

  const messages = () => chatMessagesCollection.in(own.mongo.db);
  const positions = () => chatHiddenCollection.in(own.mongo.db);
  const run = () =>
    runDeletedTexts({
      db: own.mongo.db,
      now: () => new Date(),
      log: quietLog(),
      rooms: { log: { forgetUpTo: async () => undefined } },
    });

  const messageOf = (userId: string, streamId: string, seq: number): ChatMessageDoc => ({
    _id: newId(),
    streamId,
    epoch: EPOCH,
    seq,
    userId,
    username: "ada",
    roomId: 1,
    content: "hello",
    replyToId: null,
    replyToUser: null,
    sentAt: new Date(),
    deletedAt: null,
  });
  async function sent(count: number) {
    const [streamId, userId] = [newId(), newId()];
    const docs = Array.from({ length: count }, (_, n) => messageOf(userId, streamId, n + 1));
    await messages().insertMany(docs);
    return { streamId, userId, docs };
  }
  const hide = ({ streamId, userId }: { streamId: string; userId: string }, seq: number, marked?: number) =>
    positions().insertOne({
      _id: `${streamId}:${userId}`,
      streamId,
      userId,
      upTo: { epoch: EPOCH, seq },
      ...(marked === undefined ? {} : { markedUpTo: { epoch: EPOCH, seq: marked } }),
    });
  const markedOf = (streamId: string) =>
    messages().countDocuments({ streamId, deletedAt: { $type: "date" } });

  it("marks each message up to the position, in batches, and none after it", async () => {
    const [whole, part] = [await sent(1_000), await sent(700)];
    await hide(whole, 1_000);
    await hide(part, 600);

    await run();

    expect(await markedOf(whole.streamId)).equal(1_000);
    expect(await markedOf(part.streamId)).equal(600);
  });

  it("marks the messages of more positions than one page has", async () => {
    const rooms = await Promise.all(Array.from({ length: 150 }, () => sent(1)));
    await Promise.all(rooms.map((room) => hide(room, 1)));

    await run();

    expect(await messages().countDocuments({ deletedAt: null })).equal(0);
  });

  it("reads a later ban's or clear's messages alone, whatever was marked before", async () => {
    const room = await sent(2_000);
    const ban = { _id: "a", ...room, upTo: { epoch: EPOCH, seq: 1_001 } };
    const stores = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
    const hidden = hiddenTextsIn(stores.mongo.db);
    const from = { epoch: EPOCH, seq: 1_000 };

    try {
      for (const range of [ban, { ...ban, userId: null }]) {
        const found = await hidden.messagesOf(range, from, 500);
        expect(found.map(({ seq }) => seq)).deep.equal([1_001]);
        await isServed(stores, () => hidden.messagesOf(range, from, 500), 1);
      }
    } finally {
      await stores.close();
    }
  });

  it("starts where the last run has marked everything", async () => {
    const room = await sent(3);
    await hide(room, 3, 2);

    await run();

    expect(await markedOf(room.streamId)).equal(1);
  });

  it("removes texts and keeps the progress when marking fails, and fails the job afterwards", async () => {
    const { db } = own.mongo;
    const room = await sent(700);
    await hide(room, 700);
    const [old] = (await sent(1)).docs;
    const _id = old?._id ?? "";
    await messages().updateOne({ _id }, { $set: { deletedAt: new Date(Date.now() - 40 * DAY_MS) } });
    const validator = { $or: [{ seq: { $ne: 600 } }, { deletedAt: null }] };
    await db.command({ collMod: chatMessagesCollection.name, validator });

    let failure: unknown;
    try {
      await run().catch((err: unknown) => {
        failure = err;
      });
    } finally {
      await db.command({ collMod: chatMessagesCollection.name, validator: {} });
    }

    expect(failure)
      .instanceOf(Error)
      .property("message")
      .match(/validation/);
    expect((await messages().findOne({ _id }))?.content).equal("");
    expect((await positions().findOne({}))?.markedUpTo).deep.equal({ epoch: EPOCH, seq: 500 });
    await run();
    expect(await markedOf(room.streamId)).equal(700);
  });
});
