import { expect } from "chai";
import type { Core } from "../../../../deploy/processes/workers/core.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { snapshotsCollection } from "../../../../store/mongo/host/snapshots.ts";
import { raidsCollection } from "../../../../store/mongo/raids/raids.ts";
import { type MovableClock, standingClock } from "../../../support/clock.ts";
import { specCore } from "../../../support/core.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import type { Stores } from "../../../support/stores.ts";
import { userDoc } from "../../../support/user-doc.ts";
import { beforeNext } from "./before-next.ts";

const ANA = "0198c0de-0000-7000-8000-00000000000a";
const RAID = "0198c0de-0000-7000-8000-00000000000b";
const MESSAGE = "we come from my own channel";

describe("The erasure of what an actor of others knows of somebody", () => {
  let stores: Stores;
  let core: Core;
  let clock: MovableClock;
  before(async () => {
    stores = await openOwnStores();
    clock = standingClock();
    core = specCore(stores, { clock });
  });
  after(() => stores.close());
  beforeEach(async () => {
    const at = new Date(clock.now() - 9_000);
    const due = { requestedAt: at, eraseAt: at, isSettled: true, erasedAs: null, dueAt: at, failures: 0 };
    await usersCollection
      .in(stores.mongo.db)
      .insertOne(
        userDoc({ _id: ANA, username: "ana", usernameTitle: "Ana", status: "deleted", deletion: due }),
      );
    await raids().insertOne({
      _id: RAID,
      sourceUserId: ANA,
      sourceStreamId: "s-1",
      targetUserId: "bob",
      targetStreamId: "s-2",
      status: "completed",
      isOpen: false,
      takesArrivals: false,
      viewerCount: 3,
      message: MESSAGE,
      createdBy: ANA,
      createdAt: at,
      startedAt: at,
      completedAt: at,
    });
  });
  afterEach(async () => {
    await raids().deleteMany({});
    await snapshots().deleteMany({});
  });

  const raids = () => raidsCollection.in(stores.mongo.db);
  const snapshots = () => snapshotsCollection.in(stores.mongo.db);
  const committed = (version: number) =>
    snapshots().insertOne({
      _id: `raid:${RAID}`,
      machine: "raid",
      machineVersion: 2,
      version,
      commits: [],
      snapshot: {
        status: "done",
        value: "completed",
        context: { sourceUserId: ANA, createdBy: ANA, targetUserId: "bob", message: MESSAGE },
      },
      createdAt: new Date(0),
      updatedAt: new Date(0),
    });
  async function contextLeft() {
    const found = await snapshots().findOne({ _id: `raid:${RAID}` });
    return { version: found?.version, context: Object(found?.snapshot).context };
  }

  it("takes from its snapshot what was written, with the id", async () => {
    await committed(7);

    await core.accountErasure.erase(stores.mongo.db);

    const { sourceUserId: erasedAs, message } = Object(await raids().findOne({ _id: RAID }));
    expect([message, erasedAs === ANA]).deep.equal([null, false]);
    const { version = 0, context } = await contextLeft();
    expect(context).deep.equal({
      sourceUserId: erasedAs,
      createdBy: erasedAs,
      targetUserId: "bob",
      message: null,
    });
    expect(version).greaterThan(7);
  });

  it("takes them from a first snapshot too that came behind the first look", async () => {
    beforeNext("updateMany", "raids", () => committed(1));

    await core.accountErasure.erase(stores.mongo.db);

    const { context } = await contextLeft();
    expect(JSON.stringify(context)).not.include(ANA).and.not.include(MESSAGE);
  });
});
