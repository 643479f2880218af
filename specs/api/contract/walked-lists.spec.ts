import { expect } from "chai";
import { operationsOf, parametersOf, readOpenApi } from "../../../contract/openapi-document.ts";
import type { OperationId } from "../../support/api.ts";
import { standingClock } from "../../support/clock.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { ITEMS, listsIn } from "./filled-lists.ts";

type Page = { items: unknown[]; total: number; has_more: boolean; before_cursor?: string | null };

/** The lists that take a cursor, by the contract. */
const document = readOpenApi();
const WALKED = operationsOf(document).flatMap(({ operation }) => {
  const parameters = parametersOf(document, operation);
  const isWalked = ["before", "per_page"].every((wanted) => parameters.some(({ name }) => name === wanted));
  const { enum: sorts = [] } = Object(parameters.find(({ name }) => name === "sort")?.schema);
  const others: string[] = sorts.filter((sort: unknown) => sort !== "recent");
  return isWalked ? [{ operation: operation.operationId as OperationId, others }] : [];
});

describe("lists that take `before`, read item by item", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: standingClock(), stores: openOwnStores });
  let lists: Awaited<ReturnType<typeof listsIn>>;
  before(async () => {
    lists = await listsIn(world, given);
  });

  async function filled(operation: OperationId) {
    const fill = lists[operation];
    if (!fill) throw new Error(`filled-lists.ts has to fill the list of ${operation}`);
    const { api, options } = await fill();
    const read = (query: Record<string, string | number>) =>
      api.call(operation, { ...options, query: { ...options.query, ...query } });
    const page = async (query: Record<string, string | number>): Promise<Page> => {
      const { status, body } = await read(query);
      expect(status, JSON.stringify(body)).equal(200);
      return body as Page;
    };
    return { read, page };
  }

  for (const { operation } of WALKED)
    it(`give each place once, in order and with an end: ${operation}`, async () => {
      const { page } = await filled(operation);
      const whole = await page({ per_page: 100 });
      const walked: unknown[] = [];
      let next: string | null | undefined;
      for (let reads = 0; next !== null && reads <= whole.items.length; reads++) {
        const found = await page({ per_page: 1, ...(next === undefined ? {} : { before: next }) });
        walked.push(...found.items);
        expect(found.has_more, "has_more").equal(found.before_cursor !== null);
        next = found.before_cursor;
      }

      expect(whole.items.length).least(ITEMS);
      expect(whole).include({ has_more: false, before_cursor: null });
      expect(walked).deep.equal(whole.items);
      expect(next).equal(null);
    });

  for (const { operation, others } of WALKED)
    for (const sort of others)
      it(`refuse their own cursor in an order that moves, and give none: ${operation} by ${sort}`, async () => {
        const { read, page } = await filled(operation);
        const { before_cursor: before } = await page({ per_page: 1 });

        const { code, details } = await read({ before: String(before), sort });

        expect([code, Object(details.errors)[0]?.rule]).deep.equal(["validation_failed", "cursor"]);
        expect(await page({ sort })).not.have.property("before_cursor");
      });
});
