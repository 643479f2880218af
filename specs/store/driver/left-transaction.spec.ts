import { expect } from "chai";
import type { ClientSession } from "mongodb";
import { UnknownOutcome } from "../../../base/failures/mongo.ts";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { openOwnStores } from "../../support/own-stores.ts";

type Doc = { _id: string; n: number };

describe("a transaction that is left while its work goes on", () => {
  let stores: Awaited<ReturnType<typeof openOwnStores>>;
  let own: Mongo;
  before(async () => {
    stores = await openOwnStores();
  });
  beforeEach(async () => {
    const docs = stores.mongo.db.collection<Doc>("docs");
    await docs.deleteMany({});
    await docs.insertMany([
      { _id: "a", n: 0 },
      { _id: "b", n: 0 },
    ]);
    // One connection: a command that is issued during an abort is sent right after it, before its session has ended.
    own = await connectMongo({
      url: process.env.MONGODB_URL ?? "",
      database: stores.mongo.db.databaseName,
      selectionTimeoutMs: 5_000,
      maxPoolSize: 1,
      monitorCommands: true,
    });
  });
  afterEach(() => own.close());
  after(() => stores.close());

  const addTo = (_id: string, session: ClientSession) =>
    own.db.collection<Doc>("docs").updateOne({ _id }, { $inc: { n: 1 } }, { session });

  const failure = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (reason: unknown) => reason,
    );

  const leaving: Record<string, () => Promise<unknown>> = {
    "when its client is closed": () => own.close(),
    "by a failure": () => Promise.reject(new Error("it fails")),
  };
  for (const [how, leave] of Object.entries(leaving)) {
    it(`${how} lets no statement happen outside of it`, async () => {
      let statement = async (): Promise<unknown> => undefined;
      const late: Promise<unknown>[] = [];
      own.client.on("commandStarted", ({ commandName }) => {
        if (commandName === "abortTransaction") late.push(failure(statement()));
      });

      const err = await failure(
        inTransaction(own.client, async (session) => {
          await addTo("a", session);
          statement = () => addTo("b", session);
          await leave();
        }),
      );

      expect(err).instanceOf(Error);
      const [reason] = await Promise.all(late);
      expect(reason).instanceOf(Error);
      const docs = await stores.mongo.db.collection<Doc>("docs").find().sort({ _id: 1 }).toArray();
      expect(docs).deep.equal([
        { _id: "a", n: 0 },
        { _id: "b", n: 0 },
      ]);
    });
  }

  it("when its client is closed gives its session back once, and says that it may have happened", async () => {
    const err = await failure(
      inTransaction(own.client, async (session) => {
        await addTo("a", session);
        await own.close();
      }),
    );
    const next = [own.client.startSession(), own.client.startSession()];
    const ids = next.map(({ id }) => id?.id.toString("hex"));
    for (const session of next) await session.endSession();

    expect(new Set(ids).size).equal(2);
    expect(err).instanceOf(UnknownOutcome);
  });
});
