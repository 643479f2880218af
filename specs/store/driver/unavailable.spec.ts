// @waits: for the deadlines of a store that is away.
import { expect } from "chai";
import type { Collection } from "mongodb";
import { Conflict } from "../../../base/failures/conflict.ts";
import { asUnavailable } from "../../../base/failures/unavailable.ts";
import { newId } from "../../../base/ids.ts";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { retryingConflicts } from "../../../store/mongo/driver/retried-transaction.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { mongodAddress, throughProxy } from "../../support/mongod-address.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";

type Doc = { _id: string; n: number };
type Docs = Collection<Doc>;

/** Every kind of statement that our modules send; a bulk write's errors are wrapped by the driver. */
const KINDS: Readonly<Record<string, (docs: Docs, mongo: Mongo) => Promise<unknown>>> = {
  findOne: (docs) => docs.findOne({ _id: "a" }),
  find: (docs) => docs.find({ n: 1 }).toArray(),
  aggregate: (docs) => docs.aggregate([{ $match: { n: 1 } }]).toArray(),
  countDocuments: (docs) => docs.countDocuments({ n: 1 }),
  insertOne: (docs) => docs.insertOne({ _id: newId(), n: 1 }),
  insertMany: (docs) => docs.insertMany([{ _id: newId(), n: 1 }]),
  updateOne: (docs) => docs.updateOne({ _id: "a" }, { $inc: { n: 1 } }),
  updateMany: (docs) => docs.updateMany({ n: 1 }, { $inc: { n: 1 } }),
  replaceOne: (docs) => docs.replaceOne({ _id: "a" }, { n: 1 }),
  findOneAndUpdate: (docs) => docs.findOneAndUpdate({ _id: "a" }, { $inc: { n: 1 } }),
  deleteOne: (docs) => docs.deleteOne({ _id: "a" }),
  deleteMany: (docs) => docs.deleteMany({ n: 1 }),
  "bulkWrite, ordered": (docs) =>
    docs.bulkWrite([{ updateOne: { filter: { _id: "a" }, update: { $inc: { n: 1 } } } }]),
  "bulkWrite, unordered": (docs) =>
    docs.bulkWrite([{ updateMany: { filter: { n: 1 }, update: { $inc: { n: 1 } } } }], { ordered: false }),
  "bulkWrite, in a transaction": (docs, { client }) =>
    inTransaction(
      client,
      (session) => docs.bulkWrite([{ insertOne: { document: { _id: newId(), n: 1 } } }], { session }),
      { allMs: 0 },
    ),
};

describe("a MongoDB that doesn't answer is unavailable, whatever the call:", () => {
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  let mongo: Mongo;
  let docs: Docs;
  beforeEach(async () => {
    const mongod = mongodAddress();
    proxy = await openTcpProxy(Number(mongod.port));
    mongo = await connectMongo({
      url: throughProxy(mongod, proxy.port),
      database: `livecore_spec_away_${process.pid}`,
      selectionTimeoutMs: 1_000,
      socketTimeoutMs: 500,
      maxPoolSize: 50,
    });
    docs = mongo.db.collection<Doc>("docs");
  });
  afterEach(async () => {
    await mongo.close();
    await proxy.close();
  });

  /** How each kind fails, by its name: 503, or what else became of it. */
  async function failures(): Promise<Record<string, string>> {
    const all = Object.entries(KINDS).map(async ([name, ask]) => {
      const err: unknown = await ask(docs, mongo).then(
        () => null,
        (reason: unknown) => reason,
      );
      return [name, asUnavailable(err)?.code ?? `not unavailable: ${err}`] as const;
    });
    return Object.fromEntries(await Promise.all(all));
  }

  const allUnavailable = Object.fromEntries(Object.keys(KINDS).map((name) => [name, "unavailable"]));

  it("no connection is taken", async () => {
    await proxy.close();
    // The first ones still had connections; the later ones find that there is none to be had.
    expect(await failures()).deep.equal(allUnavailable);
    expect(await failures()).deep.equal(allUnavailable);
  });

  it("no statement is answered in time", async () => {
    // So that connections are there, and the statements are sent.
    await Promise.all(Array.from({ length: 20 }, () => mongo.ping()));
    proxy.hold();
    expect(await failures()).deep.equal(allUnavailable);
  });

  it("a write isn't confirmed by as many as it should be", async () => {
    const writeConcern = { w: 2 };
    const one = await docs
      .updateOne({ _id: "a" }, { $inc: { n: 1 } }, { writeConcern })
      .catch((err: unknown) => err);
    const bulk = await docs
      .bulkWrite([{ updateOne: { filter: { _id: "a" }, update: { $inc: { n: 1 } } } }], { writeConcern })
      .catch((err: unknown) => err);

    expect(asUnavailable(one)?.code).equal("unavailable");
    expect(asUnavailable(bulk)?.code).equal("unavailable");
  });

  it("but not a bulk write that the server refused", async () => {
    await docs.deleteMany({});
    const doc = { _id: "a", n: 1 };
    const duplicate = await docs.insertMany([doc, { ...doc }]).catch((err: unknown) => err);
    const invalid = await docs
      .bulkWrite([{ updateOne: { filter: {}, update: { $set: { "": 1 } } } }])
      .catch((err: unknown) => err);
    await mongo.db.dropDatabase();

    expect(duplicate).instanceOf(Error);
    expect(asUnavailable(duplicate)).equal(null);
    expect(invalid).instanceOf(Error);
    expect(asUnavailable(invalid)).equal(null);
  });
});

describe("An act that meets a conflict at each of its attempts", () => {
  it("is unavailable to its client, and not an error of ours", async () => {
    let attempts = 0;
    const work = async () => {
      attempts += 1;
      throw new Conflict("another was first");
    };

    const err: unknown = await retryingConflicts(work).catch((reason: unknown) => reason);

    expect(attempts).equal(8);
    expect(asUnavailable(err)?.code).equal("unavailable");
  });
});
