import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import type { Core } from "../../../../deploy/processes/workers/core.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { inTransaction } from "../../../../store/mongo/driver/transaction.ts";
import { mediaChangesCollection, mediaChangesIn } from "../../../../store/mongo/host/media-changes.ts";
import { clipsCollection } from "../../../../store/mongo/live/clips.ts";
import { clipDoc } from "../../../support/clip-doc.ts";
import { standingClock } from "../../../support/clock.ts";
import { specCore } from "../../../support/core.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import type { Stores } from "../../../support/stores.ts";
import { userDoc } from "../../../support/user-doc.ts";

describe("media changes of an account", () => {
  const clock = standingClock();
  let stores: Stores;
  let core: Core;
  before(async () => {
    stores = await openOwnStores();
    core = specCore(stores, {
      clock,
      mediaServiceSettings: {
        url: "http://127.0.0.1:9/clips",
        requestSecret: "whsec_c3BlYyBzaWduaW5nIGtleQ==",
      },
    });
  });
  after(() => stores.close());

  it("retries an expansion later, without adding rows twice", async () => {
    const { db, client } = stores.mongo;
    const owner = userDoc({ status: "banned" });
    await usersCollection.in(db).insertOne(owner);
    await clipsCollection.in(db).insertOne(clipDoc({ userId: owner._id }));
    const at = new Date(clock.now());
    const account = { kind: "account", id: owner._id } as const;
    await inTransaction(client, (session) => mediaChangesIn(db).add(account, { at }, session));
    const rows = () => mediaChangesCollection.in(db).find().sort({ _id: 1 }).toArray();

    for (let round = 0; round < 3; round++) {
      let asked = 0;
      // The lease is lost after the row was taken.
      await core.mediaChanges.sweep(() => ++asked === 1);
    }

    const [row, ...others] = await rows();
    expect(others).deep.equal([]);
    expect(row).deep.include({ thing: account, failures: 1 });
    expect(row?.dueAt).greaterThan(at);
    clock.move(60_000);
    await core.mediaChanges.sweep(() => true);
    expect((await rows()).map(({ thing }) => thing.kind)).deep.equal(["clip"]);
  });

  it("postpones all rows of a thing after a failure, however many there are", async () => {
    const { db } = stores.mongo;
    const changes = mediaChangesIn(db);
    const clip = { kind: "clip", id: newId() } as const;
    for (let n = 0; n < 101; n++) await changes.addNow(clip, new Date(clock.now()));

    await core.mediaChanges.sweep(() => true);

    expect(await changes.due(new Date(clock.now()), 20)).not.deep.include(clip);
    expect(await mediaChangesCollection.in(db).distinct("failures", { "thing.id": clip.id })).deep.equal([1]);
  });

  it("gives an account's things turns that count on from one batch to the next", async () => {
    const { db, client } = stores.mongo;
    const owner = userDoc({ status: "banned" });
    await usersCollection.in(db).insertOne(owner);
    const clips = Array.from({ length: 600 }, () => clipDoc({ userId: owner._id }));
    await clipsCollection.in(db).insertMany(clips);
    const account = { kind: "account", id: owner._id } as const;
    const at = new Date(clock.now());
    await inTransaction(client, (session) => mediaChangesIn(db).add(account, { at }, session));

    await core.mediaChanges.sweep(() => true);

    const ids = clips.map(({ _id }) => _id);
    const turns = await mediaChangesCollection.in(db).distinct("turn", { "thing.id": { $in: ids } });
    expect(turns).deep.equal(Array.from({ length: 60 }, (_, n) => n + 1));
  });
});
