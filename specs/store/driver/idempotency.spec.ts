import { expect } from "chai";
import { isDuplicateKey } from "../../../base/failures/mongo.ts";
import { newId } from "../../../base/ids.ts";
import { type IdempotencyDoc, idempotencyIn } from "../../../store/mongo/driver/idempotency.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { openStores, type Stores } from "../../support/stores.ts";

describe("an idempotency key that has expired", () => {
  let stores: Stores;
  before(async () => {
    stores = await openStores(`livecore_spec_keys_${process.pid}_${newId().slice(-6)}`);
  });
  beforeEach(() => all().deleteMany({}));
  after(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });

  // Without its index: nothing goes by itself.
  const all = () => stores.mongo.db.collection<IdempotencyDoc>("idempotency");
  const NOW = 1_700_000_000_000;
  const keyed = (answer: string, inMs: number): IdempotencyDoc => ({
    _id: "user:bet:key",
    requestHash: "hash",
    answer,
    expiresAt: new Date(NOW + inMs),
  });
  const keep = (doc: IdempotencyDoc) =>
    inTransaction(stores.mongo.client, (session) =>
      idempotencyIn(stores.mongo.db).keep([doc], [doc._id], new Date(NOW), session),
    );

  it("is free again", async () => {
    await all().insertOne(keyed("old", -1));
    await keep(keyed("new", 1_000));

    expect(await all().find().toArray()).deep.equal([keyed("new", 1_000)]);
  });

  it("stays what another process has made of it since it was read", async () => {
    await all().insertOne(keyed("renewed", 500));
    const failure: unknown = await keep(keyed("mine", 1_000)).catch((err: unknown) => err);

    expect(isDuplicateKey(failure)).equal(true);
    expect(await all().find().toArray()).deep.equal([keyed("renewed", 500)]);
  });
});
