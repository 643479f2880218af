import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import { type DocumentedOperation, operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import type { CallOptions, OperationId } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider.ts";
import { openWorld, type World } from "../../support/world.ts";
import { ENDS_SESSION, EXCEPTIONS } from "./all-requests.ts";
import { CREDENTIALS, expectedOf, givenCredentials } from "./credentials.ts";
import { CALLERS, type CallerName, type Expectation, expected } from "./expectations.ts";
import { givenPeople, type People } from "./people.ts";
import { FILES, requestsIn } from "./requester.ts";

/** What ends sessions comes last: it also ends those by which the world is prepared. */
const operations = operationsOf(readOpenApi()).sort(
  (a, b) => Number(endsSession(a.operation)) - Number(endsSession(b.operation)),
);

function endsSession({ operationId }: { operationId: string }): boolean {
  return ENDS_SESSION.has(operationId as OperationId);
}

/** Refused before anything of the request is looked at, so that there needs to be nothing that it names. */
const NOBODY: ReadonlySet<Expectation> = new Set(["auth_required", "account_banned", "system_key_required"]);

/** In which order the callers come: what is refused leaves the next caller what it names, so those who are allowed come last. */
const byRefusal = (wantedOf: (caller: CallerName) => Expectation) =>
  CALLERS.toSorted((a, b) => Number(wantedOf(a) === "success") - Number(wantedOf(b) === "success"));

const nothingIn = ({ path }: DocumentedOperation): CallOptions => ({
  params: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, newId()])),
});

describe("who may call what", function () {
  this.timeout(60_000);
  let world: World;
  let people: People;
  let provider: IdentityProvider;
  let requests: ReturnType<typeof requestsIn>;

  before(async () => {
    provider = await startIdentityProvider("one");
    const oauth = { providers: [provider.appSetting()], returnUrls: ["https://app.example/"] } as const;
    world = await openWorld({ clock: movableClock(), oauth });
    people = await givenPeople(world);
    requests = requestsIn(world, people, provider);
  });

  after(async () => {
    await world?.close();
    await provider?.close();
  });

  async function outcomeOf(
    called: DocumentedOperation,
    caller: CallerName,
    wanted: Expectation,
  ): Promise<string> {
    const operationId = called.operation.operationId as OperationId;
    const request = NOBODY.has(wanted) ? nothingIn(called) : await requests.of(called, caller);
    const isRecent = called.operation["x-access"].step_up !== undefined;
    const session = endsSession({ operationId }) ? "new" : isRecent ? "recent" : "first";
    const credentials = await people.credentials(caller, session, called.operation["x-access"].peer);
    const answer = await world.api.with(credentials).call(operationId, request);
    if (answer.status < 400) {
      requests.succeeded(called);
      return "success";
    }
    return answer.code ?? `${answer.status} without an envelope`;
  }

  for (const called of operations) {
    const { operation } = called;
    const operationId = operation.operationId as OperationId;
    describe(operationId, () => {
      const wantedOf = (caller: CallerName) =>
        EXCEPTIONS[operationId]?.[caller] ?? expected(operation["x-access"], caller);
      for (const caller of byRefusal(wantedOf)) {
        const wanted = wantedOf(caller);
        it(`answers ${caller} with ${wanted}`, async () => {
          const files = `its request, and what is expected beyond x-access, are in ${FILES}`;
          expect(await outcomeOf(called, caller, wanted), files).equal(wanted);
        });
      }
    });
  }

  it("has no exceptions for operations that there aren't", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).include.members(Object.keys(EXCEPTIONS));
  });
});

/**
 * How far each credential comes at each operation: the query that can't be decoded is refused once it is known who is asking, so
 * that nothing is made before and nothing happens.
 */
describe("which credentials are taken where", function () {
  this.timeout(60_000);
  let world: World;
  let headersOf: Awaited<ReturnType<typeof givenCredentials>>;

  before(async () => {
    world = await openWorld({ clock: movableClock() });
    headersOf = await givenCredentials(world);
  });

  after(() => world?.close());

  async function outcomeOf(called: DocumentedOperation, headers: Record<string, string>): Promise<string> {
    const path = called.path.replaceAll(/\{(\w+)\}/g, newId());
    const method = called.method.toUpperCase();
    const answer = await fetch(`${world.baseUrl}${path}?x=%ff`, { method, headers });
    const { code, details } = Object(await answer.json());
    const isAboutQuery = code === "validation_failed" && details.errors[0].path === "/query";
    return isAboutQuery ? "passes" : String(code);
  }

  for (const called of operations) {
    it(`is as declared at ${called.operation.operationId}`, async () => {
      const outcomes = CREDENTIALS.map(async (name) => [
        name,
        await outcomeOf(called, await headersOf(called, name)),
      ]);

      const wanted = CREDENTIALS.map((name) => [name, expectedOf(called, name)]);
      expect(Object.fromEntries(await Promise.all(outcomes))).deep.equal(Object.fromEntries(wanted));
    });
  }

  it("takes cookies and tokens wherever it takes a bearer", () => {
    shows("auth.cookie.everywhere");
  });
});
