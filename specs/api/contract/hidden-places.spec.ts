import { expect } from "chai";
import fc from "fast-check";
import { pageOf, paginated, type Range } from "../../../api/http/pagination.ts";
import { newId } from "../../../base/ids.ts";
import { followsCollection } from "../../../store/mongo/channels/follows.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const PLAIN = { encrypt: (place: string) => place, decrypt: (cursor: string) => cursor };

/** A list of numbered places, of which some are shown; each reading takes some ms. */
function listOf(shown: readonly boolean[], { msPerRead = 0, takesCursor = true } = {}) {
  const reads: number[] = [];
  let ms = 0;
  return {
    reads,
    cursors: takesCursor ? PLAIN : null,
    now: () => ms,
    async find({ skip, limit, before }: Range) {
      reads.push(limit);
      ms += msPerRead;
      const start = typeof before === "string" ? Number(before) : skip;
      const end = start + limit;
      const places = Array.from(shown.slice(start, end), (isShown, n) => (isShown ? [start + n] : []));
      const cursor = end < shown.length ? String(end) : null;
      return { items: places.flat(), total: shown.length, ...(takesCursor ? { cursor } : {}) };
    },
  };
}
type Options = Parameters<typeof listOf>[1];

const hidden = (count: number) => Array<boolean>(count).fill(false);

/** All pages, by cursor or by number. */
async function pagesOf(shown: readonly boolean[], perPage: number, options: Options = {}) {
  const pages: { items: number[]; has_more: boolean; reads: number }[] = [];
  for (let [page, before] = [1, ""]; ; page++) {
    const list = listOf(shown, options);
    const query = list.cursors && before ? { before } : { page };
    const answer = await paginated(pageOf({ ...query, per_page: perPage }, list.cursors), list);
    pages.push({ ...answer, reads: list.reads.length });
    if (!answer.has_more) return pages;
    before = String(answer.before_cursor);
  }
}

describe("places of a list that aren't shown", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld();

  /** Runs of hidden and shown places in turn. */
  const lists = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 300 })), { maxLength: 5 })
    .map((runs) => runs.flatMap(([gone, shown]) => [...hidden(gone), ...Array<boolean>(shown).fill(true)]));

  it("cost a bounded number of reads, while no page before the end is empty", () =>
    fc.assert(
      fc.asyncProperty(lists, fc.constantFrom(1, 2, 24, 100), async (shown, perPage) => {
        const all = shown.flatMap((isShown, place) => (isShown ? [place] : []));
        const byCursor = await pagesOf(shown, perPage);
        expect(byCursor.flatMap(({ items }) => items)).deep.equal(all);
        const byNumber = await pagesOf(shown, perPage, { takesCursor: false });
        expect([...new Set(byNumber.flatMap(({ items }) => items))]).deep.equal(all);
        for (const { items, has_more, reads } of [...byCursor, ...byNumber]) {
          expect(items.length).within(has_more ? 1 : 0, perPage);
          expect(reads).most(1 + 18 + 8);
        }
      }),
      { numRuns: 60 },
    ));

  it("end a page without items after 5,000 of them, from which the cursor leads on", async () => {
    const pages = await pagesOf([...hidden(6_000), true], 1);

    expect(pages.map(({ items, has_more }) => [items, has_more])).deep.equal([
      [[], true],
      [[6_000], false],
    ]);
    for (const { reads } of pages) expect(reads).most(21);
  });

  it("end a page without items after half a second, from which the cursor leads on", async () => {
    const pages = await pagesOf([...hidden(2_000), true], 1, { msPerRead: 200 });

    expect(pages.slice(0, -1).map(({ items, reads }) => [items, reads])).deep.equal(
      Array.from(pages.slice(0, -1), () => [[], 4]),
    );
    expect(pages.at(-1)?.items).deep.equal([2_000]);
  });

  for (const per_page of [1, 24])
    it(`lead to a channel's old followers past 2,600 later ones without an account, ${per_page} a page`, async () => {
      const [star, fan] = [await given.user(), await given.user()];
      await fan.api.ok("followUser", { params: { user_id: star.id } });
      const late = Date.now() + 60_000;
      const { db } = world.core.mongo;
      await followsCollection.in(db).insertMany(
        Array.from({ length: 2_600 }, (_, n) => {
          const [id, followerId] = [newId(), newId()];
          const createdAt = new Date(late + n);
          return { _id: `${followerId}:${star.id}`, id, followerId, followingId: star.id, createdAt };
        }),
      );

      const params = { username: star.username };
      const page = await world.api.ok("listFollowers", { params, query: { per_page } });

      expect(page.items.map(({ id }) => id)).deep.equal([fan.id]);
      expect([page.has_more, page.before_cursor]).deep.equal([false, null]);
    });
});
