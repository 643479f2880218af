import { expect } from "chai";
import fc from "fast-check";
import { newId } from "../../../base/ids.ts";
import type { Order } from "../../../store/mongo/driver/cursor.ts";
import { type CursorPage, pageIn } from "../../../store/mongo/driver/page.ts";
import { openStores, type Stores } from "../../support/stores.ts";

/** Many of one time, as bulk imports and fast raids make them. */
type Doc = { _id: number; at: Date; of: string };

const ORDERS: Record<string, Order> = {
  "newest first, later ids first": { at: -1, _id: -1 },
  "newest first, earlier ids first": { at: -1, _id: 1 },
  "later ids first": { _id: -1 },
};

describe("cursors of a list", function () {
  this.timeout(60_000);
  let stores: Stores;
  before(async () => {
    stores = await openStores(`livecore_spec_cursors_${process.pid}_${newId().slice(-6)}`);
  });
  after(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });
  const list = () => stores.mongo.db.collection<Doc>("list");
  const docOf = (of: string, _id: number): Doc => ({ _id, of, at: new Date(Math.floor(Math.abs(_id) / 7)) });

  for (const [name, order] of Object.entries(ORDERS))
    it(`show each document that stays exactly once while others come and go: ${name}`, () => {
      const change = fc.record({ comes: fc.boolean(), id: fc.integer({ min: 0, max: 80 }) });
      const run = fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 40 }),
        fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 6 }),
        async (ids, changes, limit) => {
          const of = newId();
          await list().deleteMany({});
          await list().insertMany(ids.map((id) => docOf(of, id)));
          const stay = new Set(ids);
          const seen: number[] = [];
          let before: string | null = null;
          for (let n = 0; n === 0 || before !== null; n++) {
            const page: CursorPage<Doc> = await pageIn(list(), { of }, order, { skip: 0, limit, before });
            before = page.cursor ?? null;
            // What the last page would have had may have gone.
            expect(page.items.length).within(before === null ? 0 : 1, limit);
            seen.push(...page.items.map(({ _id }) => _id));
            for (const { comes, id } of changes[n] ?? []) {
              if (comes)
                await list().updateOne({ _id: id }, { $setOnInsert: docOf(of, id) }, { upsert: true });
              else if (await list().findOneAndDelete({ _id: id })) stay.delete(id);
            }
          }
          expect(new Set(seen).size).equal(seen.length);
          expect(seen).include.members([...stay]);
        },
      );
      return fc.assert(run, { numRuns: 25 });
    });

  it("are refused when they are made up, and read as no more than a place", async () => {
    const ask = (values: unknown) => {
      const before = Buffer.from(JSON.stringify(values)).toString("base64url");
      return pageIn(list(), { of: "nobody" }, { at: -1, _id: -1 }, { skip: 0, limit: 1, before });
    };
    for (const values of [
      null,
      {},
      [],
      [1],
      [1, 2, 3],
      [{ $gt: "" }, 1],
      [[1], 2],
      [{ ms: "x" }, 1],
      [null, 1],
    ])
      expect(await ask(values).catch(({ code }) => code), JSON.stringify(values)).equal("validation_failed");
    expect(await ask([{ ms: 1 }, "x"])).deep.equal({ items: [], total: 0, cursor: null });
  });
});
