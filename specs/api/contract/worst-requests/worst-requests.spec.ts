import { expect } from "chai";
import type { OperationId } from "../../../../api/http/bind.ts";
import { newId } from "../../../../base/ids.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import {
  type DocumentedOperation,
  operationsOf,
  readOpenApi,
} from "../../../../contract/openapi-document.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { leastProcessorMs } from "../../../support/processor-time.ts";
import { openStores, type Stores } from "../../../support/stores.ts";
import { type OpenedApp, openApp } from "../open-app.ts";
import { createRawClient, mediaTypeOf } from "../raw-request.ts";
import { createSampler } from "../sample.ts";
import { WORST_HEADS, worstBodiesOf } from "./worst-requests.ts";

const MOST_MS = 25;
const MOST_TIMES = 10;

const document = readOpenApi();
const sampler = createSampler(document);
const operations = operationsOf(document).filter(({ operation }) => !operation["x-access"].signed);

/** All that happens before a handler: no request is expensive by how it is written. */
describe("worst permitted requests, before any handler", function () {
  this.timeout(60_000);
  let stores: Stores;
  let app: OpenedApp;
  let client: ReturnType<typeof createRawClient>;
  /** The median of all operations: some cost next to nothing. */
  let usualMs: number;

  async function ordinaryMsOf(documented: DocumentedOperation): Promise<number> {
    // The first one compiles the operation's checks.
    await client.send(documented, {});
    return leastProcessorMs(() => client.send(documented, {}), { times: 5 });
  }

  before(async () => {
    stores = await openStores();
    const users = usersCollection.in(stores.mongo.db);
    app = await openApp(
      ({ bind }) => {
        for (const { operation } of operations) {
          bind(operation.operationId as OperationId, async () => {
            // The least that a handler does.
            await users.findOne({ _id: newId() });
            throw new ServiceError("not_found");
          });
        }
      },
      { factor: 1e9 },
    );
    client = createRawClient(app, document);
    const each: number[] = [];
    for (const documented of operations) each.push(await ordinaryMsOf(documented));
    usualMs = each.toSorted((a, b) => a - b)[Math.floor(each.length / 2)] ?? 0;
  });

  after(async () => {
    client?.end();
    await app?.close();
    await stores?.close();
  });

  for (const documented of operations) {
    const { operation } = documented;
    it(`${operation.operationId} costs at most ten ordinary requests and 25 ms`, async () => {
      const isJson = mediaTypeOf(operation) === "application/json";
      const worst = [...WORST_HEADS, ...(isJson ? worstBodiesOf(Object(sampler.body(operation))) : [])];
      const ordinaryMs = Math.max(usualMs, await ordinaryMsOf(documented));
      const mostMs = Math.min(MOST_MS, MOST_TIMES * ordinaryMs);

      const expensive: string[] = [];
      for (const { what, request } of worst) {
        const ms = await leastProcessorMs(() => client.send(documented, request), {
          times: 30,
          enoughMs: mostMs,
        });
        if (ms > mostMs)
          expensive.push(`${what}: ${ms.toFixed(1)} ms, ordinarily ${ordinaryMs.toFixed(1)} ms`);
      }

      expect(expensive).deep.equal([]);
    });
  }
});
