import { newId } from "../../store/ids.ts";
import {
  type MediaChangeDoc,
  mediaChangesCollection,
  mediaChangesIn,
} from "../../store/mongo/media-changes.ts";
import { openOwnStores } from "../support/own-stores.ts";
import { openStores, type Stores } from "../support/stores.ts";
import { isServed } from "./query-plans.ts";

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

  it("are read by turn and by age from indexes, among many rows", async () => {
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
});
