import { expect } from "chai";
import type { ClientSession } from "mongodb";
import { createClipLikes } from "../../../../actors/live/clips/likes.ts";
import { createViewCounts } from "../../../../actors/live/clips/view-counts.ts";
import { newId } from "../../../../base/ids.ts";
import { clipsCollection, clipsIn } from "../../../../store/mongo/live/clips.ts";
import { clipDoc } from "../../../support/clip-doc.ts";
import { movableClock } from "../../../support/clock.ts";
import { MASTER_KEY } from "../../../support/core.ts";
import { completed, openStores, type Stores } from "../../../support/stores.ts";

describe("a clip that a transaction without an end holds", function () {
  this.timeout(60_000);
  const clock = movableClock();
  let stores: Stores;
  let session: ClientSession;
  const [held, free] = [clipDoc(), clipDoc()];
  before(async () => {
    stores = await openStores();
    await completed(stores.mongo);
    for (const doc of [held, free]) await clipsIn(stores.mongo.db).insert(doc);
  });
  beforeEach(async () => {
    const { client, db } = stores.mongo;
    session = client.startSession();
    session.startTransaction();
    await clipsCollection.in(db).updateOne({ _id: held._id }, { $set: { title: "held" } }, { session });
  });
  after(() => stores.close());

  const counts = async (id: string) => {
    const { likesCount, viewsCount } = (await clipsIn(stores.mongo.db).find(id)) ?? {};
    return [likesCount, viewsCount];
  };
  afterEach(() => session.endSession());

  it("keeps its own likes waiting alone", async () => {
    const likes = createClipLikes({ mongo: stores.mongo, clock });

    const waiting = [likes.like(held, newId())];
    await Promise.all([likes.like(free, newId()), likes.like(free, newId())]);

    expect([await counts(held._id), await counts(free._id)]).deep.equal([
      [0, 0],
      [2, 0],
    ]);
    await session.abortTransaction();
    await Promise.all(waiting);
    expect(await counts(held._id)).deep.equal([1, 0]);
  });

  it("keeps its own views waiting alone, also those that came together with others", async () => {
    const views = createViewCounts({ mongo: stores.mongo, clock, masterKey: MASTER_KEY });
    const view = ({ _id: id }: { _id: string }) =>
      views.count({ kind: "clip", id }, { userId: newId(), ip: "" });

    const waiting = [view(held), view(held), view(held)];
    await Promise.all([view(free), view(free)]);

    expect([await counts(held._id), await counts(free._id)]).deep.equal([
      [1, 0],
      [2, 2],
    ]);
    await session.abortTransaction();
    await Promise.all(waiting);
    expect(await counts(held._id)).deep.equal([1, 3]);
  });
});
