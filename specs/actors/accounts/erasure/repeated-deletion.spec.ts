import { expect } from "chai";
import { createAccountErasure } from "../../../../actors/accounts/erasure/erasure.ts";
import { DAY_MS, MINUTE_MS } from "../../../../base/durations.ts";
import { silentMeter } from "../../../../base/metrics.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { type MovableClock, standingClock } from "../../../support/clock.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import type { Stores } from "../../../support/stores.ts";
import { userDoc } from "../../../support/user-doc.ts";

describe("An account that comes back and is deleted again beside a sweep", () => {
  let stores: Stores;
  let clock: MovableClock;
  before(async () => {
    stores = await openOwnStores();
  });
  after(() => stores.close());
  beforeEach(async () => {
    clock = standingClock();
    await users().deleteMany({});
  });

  const users = () => usersCollection.in(stores.mongo.db);
  const find = (id: string) => users().findOne({ _id: id });

  function deletion(isSettled: boolean) {
    const [requestedAt, eraseAt] = [new Date(clock.now()), new Date(clock.now() + 30 * DAY_MS)];
    return { requestedAt, eraseAt, isSettled, erasedAs: null, dueAt: requestedAt, failures: 0 };
  }
  const deleted = (id: string, isSettled: boolean) =>
    users().insertOne(userDoc({ _id: id, status: "deleted", deletion: deletion(isSettled) }));
  /** Ten minutes later. */
  async function deletedAgain(id: string): Promise<void> {
    clock.move(10 * MINUTE_MS);
    await users().updateOne({ _id: id }, { $set: { deletion: deletion(false) } });
  }

  /** Of accounts that have nothing; `beside` happens while the first one is looked at. */
  function erasureBeside(beside: () => Promise<void>) {
    let isFirst = true;
    const none = async () => undefined;
    return createAccountErasure({
      mongo: stores.mongo,
      clock,
      log: quietLog(),
      meter: silentMeter(),
      audit: () => undefined,
      streams: {
        async findByUser() {
          if (isFirst) await beside();
          isFirst = false;
          return null;
        },
      },
      broadcasts: { ownerBanned: async () => null },
      hosting: { unhost: none },
      subscriptions: { cancelForBan: async () => null },
      following: { forgetAll: none },
      clips: { forgetAll: none },
      clipLikes: { forgetAll: none },
      media: { forgetAll: none },
      rooms: { log: { forgetUpTo: none } },
      pictures: { dropAll: none },
    });
  }

  it("is settled anew", async () => {
    await deleted("ana", false);

    await erasureBeside(() => deletedAgain("ana")).settle();

    expect((await find("ana"))?.deletion).include({ isSettled: false });
    expect((await find("ana"))?.deletion?.dueAt.getTime()).equal(clock.now());
  });

  it("isn't erased by what was read before", async () => {
    await deleted("ana", true);
    clock.move(1);
    await deleted("bob", true);

    await erasureBeside(() => deletedAgain("bob")).erase(stores.mongo.db);

    expect(await find("ana")).equal(null);
    expect((await find("bob"))?.deletion).include({ erasedAs: null });
  });
});
