import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import {
  notificationDeliveriesCollection,
  notificationDeliveriesIn,
} from "../../../store/mongo/notifications/notification-deliveries.ts";
import { pushDevicesCollection, pushDevicesIn } from "../../../store/mongo/notifications/push-devices.ts";
import { pushesCollection, pushesIn } from "../../../store/mongo/notifications/pushes.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { isServed } from "./query-plans.ts";

const NOW = new Date();
const MANY = 300;
const ago = (ms: number) => new Date(+NOW - ms);

describe("what pushes and mails of notifications read", () => {
  let own: Stores;
  let stores: Stores;
  const users = Array.from({ length: MANY }, newId);
  const [me = ""] = users;

  before(async () => {
    own = await openOwnStores();
    stores = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
    const { db } = stores.mongo;
    const way = (n: number) => (n % 3 === 0 ? ("mail" as const) : ("push" as const));
    await notificationDeliveriesCollection.in(db).insertMany(
      users.map((userId, n) => ({
        _id: newId(),
        notificationId: n,
        userId,
        way: way(n),
        type: "follower" as const,
        createdAt: ago(n),
        dueAt: ago(n),
        doneAt: n % 10 === 0 ? null : NOW,
        messageId: newId(),
      })),
    );
    await pushesCollection.in(db).insertMany(
      users.map((userId, n) => ({
        _id: newId(),
        userId,
        device: newId(),
        message: null,
        state: n % 10 === 0 ? ("waiting" as const) : ("sent" as const),
        tries: n % 4,
        createdAt: ago(n),
        dueAt: ago(n),
      })),
    );
    await pushDevicesCollection.in(db).insertMany(
      users.map((userId, n) => ({
        _id: newId(),
        deviceId: newId(),
        userId,
        sessionId: newId(),
        tokenSealed: "",
        deviceType: "ios" as const,
        notificationsEnabled: n % 2 === 0,
        lastActive: NOW,
        expiresAt: new Date(+NOW + 86_400_000),
      })),
    );
  });
  after(async () => {
    await stores.close();
    await own.close();
  });

  it("is an index in its order: what is due, and who got how much lately", async () => {
    const deliveries = notificationDeliveriesIn(stores.mongo.db);
    await isServed(stores, () => deliveries.due(NOW, 5), 5);
    await isServed(stores, () => deliveries.messagesSince([me], ago(60_000)), 1);
    expect((await deliveries.due(NOW, MANY)).length).equal(MANY / 10);
  });

  it("is an index in its order: pushes that are due, those first that weren't tried", async () => {
    const pushes = pushesIn(stores.mongo.db);
    await isServed(stores, () => pushes.due(NOW, 5), 10);
    const tries = (await pushes.due(NOW, MANY)).map((one) => one.tries);
    expect(tries).deep.equal([...tries].sort());
    expect(tries).length(MANY / 10);
  });

  it("is an index: the devices of some users", async () => {
    const devices = pushDevicesIn(stores.mongo.db);
    await isServed(stores, () => devices.enabledOf(users.slice(0, 4)), 4);
    expect(await devices.usersWithEnabled(users.slice(0, 4))).members([users[0], users[2]]);
  });
});
