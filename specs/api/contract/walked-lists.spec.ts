import { expect } from "chai";
import { operationsOf, parametersOf, readOpenApi } from "../../contract/openapi-document.ts";
import type { OperationId } from "../../support/api.ts";
import { standingClock } from "../../support/clock.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { ITEMS, listsIn } from "./filled-lists.ts";

type Page = { items: unknown[]; total: number; has_more: boolean; before_cursor?: string | null };

/** The lists that take a cursor, by the contract. */
const document = readOpenApi();
const WALKED = operationsOf(document)
  .filter(({ operation }) => {
    const names = parametersOf(document, operation).map(({ name }) => name);
    return names.includes("before") && names.includes("per_page");
  })
  .map(({ operation }) => operation.operationId as OperationId);

describe("lists that take `before`, read item by item", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: standingClock(), stores: openOwnStores });
  let lists: Awaited<ReturnType<typeof listsIn>>;
  before(async () => {
    lists = await listsIn(world, given);
  });

  for (const operation of WALKED)
    it(`give each place once, in order and with an end: ${operation}`, async () => {
      const fill = lists[operation];
      if (!fill) throw new Error(`filled-lists.ts has to fill the list of ${operation}`);
      const { api, options } = await fill();
      const page = async (query: Record<string, string | number>): Promise<Page> => {
        const answer = await api.call(operation, { ...options, query: { ...options.query, ...query } });
        expect(answer.status, JSON.stringify(answer.body)).equal(200);
        return answer.body as Page;
      };

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
});
