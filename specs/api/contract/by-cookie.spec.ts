import { expect } from "chai";
import { shows } from "../../contract/coverage/shows.ts";
import { operationsOf, readOpenApi } from "../../contract/openapi-document.ts";
import type { OperationId } from "../../support/api.ts";
import { openWorld, type World } from "../../support/world.ts";
import { clientOf, modes } from "../auth/session-modes.ts";
import { ENDS_SESSION } from "../authorization/requests.ts";
import { createSampler } from "./sample.ts";

const document = readOpenApi();
const sampler = createSampler(document);
const NOT_KNOWN = ["auth_required", "invalid_token", "client_header_required"];

describe("the access cookie", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  it("is taken wherever a bearer token is", async () => {
    const mode = modes.find(({ name }) => name === "cookie");
    if (!mode) throw new Error("there is no cookie mode");
    const client = clientOf(world.baseUrl, mode);
    const somebody = client.as((await client.register()).access);
    const operations = operationsOf(document)
      .map(({ operation }) => operation)
      .filter((operation) => operation["x-access"].who === "session");

    expect(operations.length).above(30);
    for (const operation of operations) {
      const id = operation.operationId as OperationId;
      const hasBody = operation.requestBody !== undefined;
      const options = { params: sampler.pathParams(operation), ...(hasBody ? { body: {} } : {}) };
      expect((await world.api.call(id, options)).code, id).equal("auth_required");
      const byCookie = ENDS_SESSION.has(id) ? client.as((await client.register()).access) : somebody;
      const { status, code } = await byCookie.call(id, options);
      expect(NOT_KNOWN, `${id} answered ${status}`).not.include(code);
    }
    shows("auth.cookie.everywhere");
  });

  it("isn't asked for by what tells of health, nor is anything else", async () => {
    for (const headers of [
      {},
      { authorization: "Bearer nonsense" },
      { cookie: "lc_access_token=nonsense" },
    ]) {
      const { status, body } = await world.api.with(headers).call("getHealth");
      expect(status).equal(200);
      expect(body).property("status").a("string");
    }
    shows("auth.health_anonymous");
  });
});

describe("what clients of before sent", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  it("has no path any more: figures of playback", async () => {
    for (const method of ["GET", "POST", "PUT"]) {
      const answer = await fetch(`${world.baseUrl}/v1/metrics/playback`, { method });
      expect([answer.status, Object(await answer.json()).code]).deep.equal([404, "not_found"]);
    }
    shows("absent /v1/metrics/playback");
  });
});
