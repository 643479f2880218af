import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { windowedCountsCollection, windowedCountsIn } from "../../../store/mongo/driver/windowed-counts.ts";
import { openStores, type Stores } from "../../support/stores.ts";

const NOW = 1_700_000_000_000;
const WINDOW_MS = 60_000;

describe("A limit that is counted in the transaction of what it limits", () => {
  let stores: Stores;
  before(async () => {
    stores = await openStores(`livecore_spec_windows_${process.pid}_${newId().slice(-6)}`);
  });
  after(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });

  const limitOf = (bucket: string) => ({ bucket, limit: 2, windowSeconds: WINDOW_MS / 1_000 });

  /** Null, or the refusal; `fails` ends the transaction after the count. */
  const act = (bucket: string, user: string, { inMs = 0, fails = false } = {}) =>
    inTransaction(stores.mongo.client, async (session) => {
      const at = new Date(NOW + inMs);
      await windowedCountsIn(stores.mongo.db).take(limitOf(bucket), user, at, session);
      if (fails) throw new Error("the act fails");
      return null;
    }).catch((err: unknown) => err);

  const detailsOf = (refusal: unknown) => (refusal instanceof ServiceError ? refusal.details : refusal);

  it("refuses what is past it, and says until when", async () => {
    const user = newId();
    expect([await act("one", user), await act("one", user, { inMs: 10_000 })]).deep.equal([null, null]);

    const refusal = await act("one", user, { inMs: 20_000 });
    expect(refusal).include({ code: "rate_limited" });
    expect(detailsOf(refusal)).deep.equal({
      bucket: "one",
      limit: 2,
      window_seconds: 60,
      retry_after_ms: 40_000,
    });
    expect(await act("one", user, { inMs: WINDOW_MS - 1 })).include({ code: "rate_limited" });
    expect(await act("one", user, { inMs: WINDOW_MS })).equal(null);
  });

  it("says the true wait where another server's clock is ahead, and isn't got around by two clocks", async () => {
    const user = newId();
    await act("one", user, { inMs: 5 * WINDOW_MS });
    await act("one", user);

    expect(detailsOf(await act("one", user))).include({ retry_after_ms: 6 * WINDOW_MS });
    expect(await act("one", user, { inMs: 5 * WINDOW_MS })).include({ code: "rate_limited" });
    expect(await act("one", user, { inMs: 6 * WINDOW_MS })).equal(null);
  });

  it("counts neither what fails nor what another limit counts, nor others' acts", async () => {
    const [user, other] = [newId(), newId()];
    for (let i = 0; i < 3; i++) await act("one", user, { fails: true });
    await act("one", user);
    await act("two", user);
    await act("one", other);

    expect(await act("one", user)).equal(null);
    expect(await act("one", user)).include({ code: "rate_limited" });
  });

  it("keeps its number no longer than its window", async () => {
    const user = newId();
    await act("one", user);
    await act("one", user, { inMs: WINDOW_MS + 5 });

    const [kept] = await windowedCountsCollection
      .in(stores.mongo.db)
      .find({ _id: `one:${user}` })
      .toArray();
    expect(kept).include({ count: 1 });
    expect(kept?.expiresAt).deep.equal(new Date(NOW + 2 * WINDOW_MS + 5));
  });
});
