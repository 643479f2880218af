import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import {
  type MediaChangeDoc,
  mediaChangesCollection,
  mediaChangesIn,
} from "../../../store/mongo/host/media-changes.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { isServed } from "../plans/query-plans.ts";

const EACH = 1_000;
const LIMIT = 20;

describe("media changes that are due", () => {
  let own: Stores;
  let watched: Stores;
  before(async () => {
    own = await openOwnStores();
    watched = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
  });
  after(async () => {
    await watched.close();
    await own.close();
  });

  it("reads rows by turn and by age from indexes, among many", async () => {
    const { db } = watched.mongo;
    const now = new Date();
    const rows = [-1, 1].flatMap((minutes) =>
      Array.from({ length: EACH }, (_, n): MediaChangeDoc => {
        const dueAt = new Date(now.getTime() + minutes * 60_000 + n);
        const thing = { kind: "clip", id: newId() } as const;
        return { _id: newId(), thing, createdAt: now, dueAt, turn: n % 100, failures: 0 };
      }),
    );
    await mediaChangesCollection.in(db).insertMany(rows);

    await isServed(watched, () => mediaChangesIn(db).due(now, LIMIT), 2 * LIMIT);
  });

  it("gives a quarter of a round to the rows that have waited longest", async () => {
    const { db } = own.mongo;
    const now = new Date();
    const rowOf = (turn: number, minutesDue: number): MediaChangeDoc => {
      const thing = { kind: "clip", id: newId() } as const;
      const dueAt = new Date(now.getTime() - minutesDue * 60_000);
      return { _id: newId(), thing, createdAt: now, dueAt, turn, failures: 0 };
    };
    const oldest = Array.from({ length: LIMIT }, (_, n) => rowOf(1_000, 200 - n));
    const first = Array.from({ length: LIMIT }, (_, n) => rowOf(0, 40 - n));
    const changes = mediaChangesCollection.in(db);
    await changes.deleteMany({});
    await changes.insertMany([...oldest, ...first]);

    const due = await mediaChangesIn(db).due(now, LIMIT);

    const expected = [...oldest.slice(0, LIMIT / 4), ...first.slice(0, (LIMIT * 3) / 4)];
    expect(due).deep.equal(expected.map(({ thing }) => thing));
  });
});
