import { expect } from "chai";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { pushDevicesCollection } from "../../../../store/mongo/notifications/push-devices.ts";
import { standingClock } from "../../../support/clock.ts";
import { specCore } from "../../../support/core.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import type { Stores } from "../../../support/stores.ts";
import { userDoc } from "../../../support/user-doc.ts";
import { beforeNext } from "./before-next.ts";

describe("account erasure: documents that change hands during it", () => {
  let stores: Stores;
  before(async () => {
    stores = await openOwnStores();
  });
  after(() => stores.close());

  it("keeps a push device that another account registers between search and deletion", async () => {
    const clock = standingClock();
    const at = new Date(clock.now() - 9_000);
    const deletion = {
      requestedAt: at,
      eraseAt: at,
      isSettled: true,
      erasedAs: null,
      dueAt: at,
      failures: 0,
    };
    await usersCollection.in(stores.mongo.db).insertOne(userDoc({ _id: "ana", status: "deleted", deletion }));
    const devices = pushDevicesCollection.in(stores.mongo.db);
    const device = (_id: string) => ({
      _id,
      deviceId: `id-of-${_id}`,
      userId: "ana",
      sessionId: "s-1",
      tokenSealed: "sealed",
      deviceType: "ios" as const,
      notificationsEnabled: true,
      lastActive: at,
      expiresAt: new Date(Date.now() + 60_000),
    });
    await devices.insertMany([device("moved"), device("left")]);
    beforeNext("deleteMany", "push_devices", () =>
      devices.updateOne({ _id: "moved" }, { $set: { userId: "bob", sessionId: "s-2" } }),
    );

    await specCore(stores, { clock }).accountErasure.erase(stores.mongo.db);

    const found = await devices.find().toArray();
    expect(found.map(({ _id, userId }) => [_id, userId])).deep.equal([["moved", "bob"]]);
  });
});
