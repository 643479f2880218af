// @waits: for transactions to be abandoned.
import { expect } from "chai";
import type { ClientSession } from "mongodb";
import { newId } from "../../../base/ids.ts";
import { createAbandonedTransactions } from "../../../jobs/host/abandoned-transactions/sweep.ts";
import { eventually } from "../../support/eventually.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openStores, type Stores } from "../../support/stores.ts";

type Counter = { _id: string; n: number };

describe("transactions that their process left open", () => {
  let stores: Stores;
  before(async () => {
    stores = await openStores(`livecore_spec_abandoned_${process.pid}`);
  });
  after(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });

  it("are ended after 3 s of silence; those that go on, and those of others, are not", async () => {
    const stranger = await openStores(`livecore_spec_stranger_${process.pid}`);
    const log = quietLog();
    const { tick } = createAbandonedTransactions({ mongo: stores.mongo, log });
    const abandoned = await leaveOpen(stores);
    const busy = await leaveOpen(stores);
    const foreign = await leaveOpen(stranger);
    const begun = performance.now();

    const ended = await eventually(async () => {
      await busy.write();
      return (await tick()) || false;
    });

    expect(ended).equal(1);
    expect(performance.now() - begun).above(3_000);
    // Free: before, this would have waited for the transaction's lock.
    expect(await abandoned.counters.updateOne({ _id: abandoned.id }, { $set: { n: 7 } })).property(
      "modifiedCount",
      1,
    );
    expect(await commit(abandoned.session)).equal("NoSuchTransaction");
    expect(await commit(busy.session)).equal("committed");
    expect(await commit(foreign.session)).equal("committed");
    await stranger.mongo.db.dropDatabase();
    await stranger.close();
  });
});

/** A transaction that has written a document and stands open. */
async function leaveOpen({ mongo }: Stores) {
  const counters = mongo.db.collection<Counter>("counters");
  const id = newId();
  await counters.insertOne({ _id: id, n: 0 });
  const session = mongo.client.startSession();
  session.startTransaction();
  const write = () => counters.updateOne({ _id: id }, { $inc: { n: 1 } }, { session });
  await write();
  return { id, counters, session, write };
}

async function commit(session: ClientSession): Promise<string> {
  try {
    await session.commitTransaction();
    return "committed";
  } catch (err) {
    return err instanceof Error && "codeName" in err ? String(err.codeName) : String(err);
  } finally {
    await session.endSession();
  }
}
