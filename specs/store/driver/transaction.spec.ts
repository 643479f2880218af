// @waits: for the deadlines of transactions.
import { expect } from "chai";
import type { Binary, ClientSession, Collection, Filter } from "mongodb";
import {
  isMongoUnavailable,
  isTransient,
  MongoDeadline,
  UnknownOutcome,
} from "../../../base/failures/mongo.ts";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { eventually } from "../../support/eventually.ts";
import { openMongod } from "../../support/own-mongod.ts";

describe("a transaction, whatever the store does,", () => {
  let mongod: Awaited<ReturnType<typeof openMongod>>;
  let mongo: Mongo;
  let docs: Collection<{ _id: string; n: number }>;
  before(async function () {
    this.timeout(60_000);
    mongod = await openMongod();
    mongo = await connectMongo({
      url: mongod.url,
      database: "spec",
      selectionTimeoutMs: 2_000,
      maxPoolSize: 10,
    });
    docs = mongo.db.collection("docs");
  });
  beforeEach(async () => {
    await docs.deleteMany({});
    await docs.insertMany([
      { _id: "a", n: 0 },
      { _id: "b", n: 0 },
    ]);
  });
  afterEach(() => mongod.thaw());
  after(async () => {
    await mongo.close();
    await mongod.close();
  });

  const addTo = (
    id: string,
    time: { attemptMs?: number; allMs?: number },
    meanwhile?: () => Promise<unknown>,
  ) =>
    inTransaction(
      mongo.client,
      async (session) => {
        await docs.updateOne({ _id: id }, { $inc: { n: 1 } }, { session });
        await meanwhile?.();
      },
      time,
    );

  async function failure(work: Promise<unknown>): Promise<{ err: unknown; ms: number }> {
    const startedAt = performance.now();
    const err = await work.then(
      () => null,
      (reason: unknown) => reason,
    );
    return { err, ms: performance.now() - startedAt };
  }

  const nOf = async (id: string) => (await docs.findOne({ _id: id }))?.n;

  it("ends by its deadline when the store hangs in a statement, and nothing of it happens", async () => {
    mongod.freeze();
    const { err, ms } = await failure(addTo("a", { attemptMs: 400, allMs: 600 }));
    mongod.thaw();

    expect(err).instanceOf(MongoDeadline);
    expect(isMongoUnavailable(err)).equal(true);
    expect(ms).below(2_500);
    // Its lock goes with it.
    await addTo("a", { attemptMs: 3_000 });
    expect(await nOf("a")).equal(1);
  });

  it("sends nothing more once its time is over, and lets go of what it holds", async () => {
    let goOn = (): void => undefined;
    const isOver = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const sent: string[] = [];
    const late: Promise<unknown>[] = [];
    const statements: Readonly<Record<string, (session: ClientSession) => Promise<unknown>>> = {
      read: (session) => docs.find({}, { session }).toArray(),
      update: (session) => docs.updateOne({ _id: "b" }, { $inc: { n: 1 } }, { session }),
      bulk: (session) => docs.bulkWrite([{ insertOne: { document: { _id: "c", n: 0 } } }], { session }),
    };
    const writing = inTransaction(
      mongo.client,
      async (session) => {
        await docs.updateOne({ _id: "a" }, { $inc: { n: 1 } }, { session });
        await isOver;
        for (const [name, statement] of Object.entries(statements)) {
          const outcome = statement(session).then(
            () => void sent.push(name),
            () => undefined,
          );
          late.push(outcome);
          await outcome;
        }
      },
      { attemptMs: 200, allMs: 0 },
    );

    const { err } = await failure(writing);
    goOn();
    // Its document is free as soon as it has come back from what it was at.
    await addTo("a", { allMs: 3_000 });
    await Promise.all(late);

    expect(err).instanceOf(MongoDeadline);
    expect(sent).deep.equal([]);
    expect(await docs.find().sort({ _id: 1 }).toArray()).deep.equal([
      { _id: "a", n: 1 },
      { _id: "b", n: 0 },
    ]);
  });

  it("has an unknown outcome when the store hangs in its commit", async () => {
    const { err, ms } = await failure(
      addTo("a", { attemptMs: 1_500, allMs: 1_500 }, async () => mongod.freeze()),
    );
    mongod.thaw();

    expect(err).instanceOf(UnknownOutcome);
    // Earlier than a statement without an answer ends by itself.
    expect(ms).below(2_900);
    // Either way it is settled: the next one isn't in its way.
    await addTo("b", { attemptMs: 3_000 });
    expect(await nOf("a")).within(0, 1);
  });

  it("is tried again while another one holds its document, and not for longer than it is given", async () => {
    const holder = mongo.client.startSession();
    holder.startTransaction();
    await docs.updateOne({ _id: "a" }, { $inc: { n: 10 } }, { session: holder });

    const { err, ms } = await failure(addTo("a", { allMs: 500 }));
    const alone = await failure(addTo("a", { attemptMs: 2_000, allMs: 0 }));
    const patient = addTo("a", { allMs: 5_000 });
    await holder.abortTransaction();
    await patient;
    await holder.endSession();

    expect(isTransient(err)).equal(true);
    expect(ms).within(100, 2_000);
    expect(isTransient(alone.err)).equal(true);
    // Not until its deadline.
    expect(alone.ms).below(1_500);
    expect(await nOf("a")).equal(1);
  });

  const writes: Record<
    string,
    (filter: Filter<{ _id: string; n: number }>, session: ClientSession) => Promise<unknown>
  > = {
    statement: (filter, session) => docs.updateOne(filter, { $inc: { n: 1 } }, { session }),
    "bulk write": (filter, session) =>
      docs.bulkWrite([{ updateOne: { filter, update: { $inc: { n: 1 } } } }], { session }),
  };
  for (const [name, write] of Object.entries(writes)) {
    it(`is tried again when the server ends its session in the middle of a ${name}`, async () => {
      let attempts = 0;
      const writing = inTransaction(mongo.client, (session) => {
        attempts++;
        // Slow at the first try only: long enough to be seen and ended.
        const filter = { _id: "a", ...(attempts === 1 && { $where: "sleep(5000) || true" }) };
        return write(filter, session);
      });
      const admin = mongo.client.db("admin");
      const session = await eventually(async () => {
        const [op] = await admin
          .aggregate<{ lsid: { id: Binary } }>(
            [
              { $currentOp: {} },
              {
                $match: {
                  type: "op",
                  "transaction.parameters": { $exists: true },
                  active: true,
                  ns: docs.namespace,
                },
              },
            ],
            { readConcern: { level: "local" } },
          )
          .toArray();
        return op?.lsid.id ?? false;
      });
      await admin.command({ killSessions: [{ id: session }] });
      await writing;

      expect(attempts).equal(2);
      expect(await nOf("a")).equal(1);
    }).timeout(10_000);
  }

  it("is attempted again when a statement isn't answered within an attempt's time", async () => {
    let attempts = 0;
    const from = performance.now();
    await inTransaction(mongo.client, (session) => {
      attempts++;
      const filter = { _id: "a", ...(attempts === 1 && { $where: "sleep(2500) || true" }) };
      return docs.updateOne(filter, { $inc: { n: 1 } }, { session });
    });

    expect(attempts).equal(2);
    expect(performance.now() - from).above(1_400);
    expect(await nOf("a")).equal(1);
  }).timeout(10_000);

  it("gives a read its end too", async () => {
    mongod.freeze();
    const { err, ms } = await failure(docs.findOne({ _id: "a" }));
    mongod.thaw();

    expect(isMongoUnavailable(err), `after ${ms} ms: ${String(err)}`).equal(true);
    // 3 s without an answer, then the driver looks for a server and asks once more.
    expect(ms).below(9_000);
  }).timeout(20_000);
});
