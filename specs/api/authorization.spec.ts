import { expect } from "chai";
import { type DocumentedOperation, operationsOf, readOpenApi } from "../contract/openapi-document.ts";
import type { OperationId } from "../support/api.ts";
import { movableClock } from "../support/clock.ts";
import { openWorld, type World } from "../support/world.ts";
import { CALLERS, type CallerName, EXCEPTIONS, expected } from "./authorization/expectations.ts";
import { givenPeople, type People } from "./authorization/people.ts";
import { ENDS_SESSION, requestsIn } from "./authorization/requests.ts";

/** What ends sessions comes last: it also ends those by which the world is prepared. */
const operations = operationsOf(readOpenApi()).sort(
  (a, b) => Number(endsSession(a.operation)) - Number(endsSession(b.operation)),
);

function endsSession({ operationId }: { operationId: string }): boolean {
  return ENDS_SESSION.has(operationId as OperationId);
}

describe("who may call what", function () {
  this.timeout(60_000);
  let world: World;
  let people: People;
  let requests: ReturnType<typeof requestsIn>;

  before(async () => {
    world = await openWorld({ clock: movableClock() });
    people = await givenPeople(world);
    requests = requestsIn(world, people);
  });

  after(() => world?.close());

  async function outcomeOf(called: DocumentedOperation, caller: CallerName): Promise<string> {
    const operationId = called.operation.operationId as OperationId;
    const request = await requests(called, caller);
    // A session of its own has just proved who it is, too.
    const isFresh = endsSession({ operationId }) || called.operation["x-access"].step_up !== undefined;
    const credentials = await people.credentials(caller, isFresh);
    const answer = await world.api.with(credentials).call(operationId, request);
    if (answer.status < 300) return "success";
    return answer.code ?? `${answer.status} without an envelope`;
  }

  for (const called of operations) {
    const { operation } = called;
    const operationId = operation.operationId as OperationId;
    describe(operationId, () => {
      for (const caller of CALLERS) {
        const wanted = EXCEPTIONS[operationId]?.[caller] ?? expected(operation["x-access"], caller);
        it(`answers ${caller} with ${wanted}`, async () => {
          expect(await outcomeOf(called, caller)).equal(wanted);
        });
      }
    });
  }

  it("has no exceptions for operations that there aren't", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).include.members(Object.keys(EXCEPTIONS));
  });
});
