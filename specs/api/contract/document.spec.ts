import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { createValidation } from "../../../api/http/validate.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import { ERRORS, isErrorCode } from "../../../contract/errors.ts";
import type { JsonObject } from "../../../contract/json.ts";
import { bundle } from "../../../contract/openapi/bundle.ts";
import { completeOperation } from "../../../contract/openapi/operation-rules.ts";
import { withholdSecrets } from "../../../contract/openapi/secrets.ts";
import { operationsOf, readOpenApi, responsesOf } from "../../../contract/openapi-document.ts";

const document = readOpenApi();
const operations = operationsOf(document);

/** Codes that no single operation has: they are answered before one is found, or on the sockets alone. */
const ELSEWHERE = ["method_not_allowed"];

/** Wherever they are added: sessions, second factors, passwords, tokens, exports, and what staff do. */
const SECURITY_PATH =
  /^\/v1\/(auth|tokens|admin)(\/|$)|\/(2fa|password|sessions|export|key|oauth|devices|avatar|banner)(\/|$)/;
/** What any personal token may do: open a socket within its scopes, and end itself. */
const OF_ANY_TOKEN: readonly string[] = ["createWsTicket", "endChatToken"];

describe("the OpenAPI document", () => {
  it("is what its YAML says", () => {
    expect(JSON.parse(JSON.stringify(bundle()))).deep.equal(document);
  });

  it("isn't made while examples are missing, all of which are named at once", () => {
    const folder = mkdtempSync(join(tmpdir(), "livecore-openapi-"));
    try {
      cpSync(new URL("../../../contract/openapi/", import.meta.url), folder, { recursive: true });
      const world = join(folder, "examples/world.yaml");
      const lacking = readFileSync(world, "utf8")
        .replace("  StreamId: ", "  StrayId: ")
        .replace("ViewerCount: { viewer_count: ", "ViewerCount: { stray_count: ");
      writeFileSync(world, lacking);
      const made = () => bundle(pathToFileURL(`${folder}/`));
      expect(made).throw(
        /the parameter StreamId\n[\s\S]*ViewerCount\.viewer_count\n[\s\S]*speaks of StrayId/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("keeps every credential in its answers from personal tokens", () => {
    const answerWith = (properties: object, required: string[] = []) => {
      const schema = { type: "object", required, properties };
      const content = { "application/json": { schema } };
      return {
        operationId: "example",
        description: "",
        "x-scopes": ["chat:read"],
        responses: { 200: { content } },
      };
    };
    const withheld = (properties: object, required?: string[]) => {
      const operation: JsonObject = answerWith(properties, required);
      withholdSecrets({}, [operation]);
      return operation["x-withheld"];
    };
    const secret = { type: "string", "x-secret": true };

    expect(withheld({ signing_key: secret, name: {} })).deep.equal(["signing_key"]);
    expect(withheld({ sort_key: { type: "string", "x-secret": false } })).equal(undefined);
    for (const field of ["stream_key", "key", "webhook_secret", "token", "ticket", "password"])
      expect(() => withheld({ [field]: { type: "string" } })).throw(/example: \w+ needs x-secret/);
    expect(() => withheld({ items: { items: { properties: { signing_key: secret } } } })).throw(/within/);
    expect(() => withheld({ signing_key: secret }, ["signing_key"])).throw(/can't be required/);
  });

  it("has schemas that are schemas", () => {
    const ajv = new Ajv2020({ strict: false });
    const schemas = [...Object.values(document.components.schemas), ...schemasIn(document)];
    for (const schema of schemas)
      expect(ajv.validateSchema(schema), JSON.stringify([schema, ajv.errors])).equal(true);
    expect(schemas.length).above(200);
  });

  // A worker compiles them one by one, at an operation's first request.
  it("has requests whose checks can be compiled", () => {
    const { requestCheck } = createValidation(document);
    for (const { operation } of operations)
      expect(() => requestCheck(operation), operation.operationId).not.throw();
  });

  it("has the given version", () => {
    expect(document.info.version).equal("2.9.0");
    expect(document.openapi).equal("3.1.0");
    shows("versions.description");
  });

  it("keeps everything but health checks and keys under /v1", () => {
    const outside = operations.map(({ path }) => path).filter((path) => !path.startsWith("/v1/"));
    expect(outside).have.members([
      "/healthz",
      "/livez",
      "/servez",
      "/servez/rest",
      "/servez/sockets",
      "/.well-known/jwks.json",
    ]);
    shows("versions.prefix");
  });

  it("answers with bare resources and pages, without a wrapper", () => {
    for (const { operation } of operations) {
      for (const [status, { content }] of responsesOf(document, operation)) {
        const schema = content?.["application/json"]?.schema;
        if (status >= 300 || !schema || operation.operationId === "getOpenApi") continue;
        expect(schema, operation.operationId).have.property("$ref");
      }
    }
  });

  it("answers lists in pages, but for what is read by a cursor", () => {
    const lists = operations.filter(({ method, operation }) => {
      const content = responsesOf(document, operation).find(([status]) => status === 200)?.[1].content;
      const { $ref = "" } = Object(content?.["application/json"]?.schema);
      const { properties = {} } = Object(document.components.schemas[String($ref).split("/").at(-1) ?? ""]);
      return method === "get" && "items" in properties && !("per_page" in properties);
    });
    const byCursor = ["listChatMessages", "listBotMessages", "listVideoChat"];
    expect(lists.map(({ operation }) => operation.operationId)).have.members(byCursor);
  });

  it("has names in snake_case, but for those of other standards", () => {
    const names = Object.entries(document.components.schemas).flatMap(([schema, { properties = {} }]) =>
      Object.keys(Object(properties)).map((name) => `${schema}.${name}`),
    );
    const others = names.filter((name) => !/^\w+\.[a-z0-9]+(_[a-z0-9]+)*$/.test(name));
    expect(names.length).above(100);
    // WebAuthn's JSON goes from the browser to the service as it is.
    expect(others).deep.equal(["PasskeyAttestation.rawId", "PasskeyAssertion.rawId"]);
    shows("answers.snake_case");
  });

  it("has no paths for hooks to somebody else, which aren't offered", () => {
    const hooks = operations.filter(({ path }) => path.includes("webhook"));
    for (const { operation } of hooks) {
      const { who, signed } = operation["x-access"];
      // Stripe signs instead.
      expect(signed === "stripe" ? "system" : who).equal("system");
    }
    shows("absent outbound webhooks");
  });

  it("lists the codes of the registry", () => {
    expect(document.components.schemas.ErrorCode?.enum).deep.equal(Object.keys(ERRORS));
  });

  it("has an operation for every code", () => {
    const answered = new Set<string>(operations.flatMap(({ operation }) => operation["x-errors"]));
    const idle = Object.keys(ERRORS).filter((code) => !answered.has(code) && !ELSEWHERE.includes(code));
    expect(idle).deep.equal([]);
  });

  for (const { operation, path } of operations) {
    describe(operation.operationId, () => {
      it("says who may call it", () => {
        const { who, channel, or } = operation["x-access"];
        expect(who).oneOf(["anonymous", "optional", "session", "refresh", "system", "staff"]);
        expect(channel).oneOf([undefined, "owner", "moderator"]);
        if (or !== undefined) expect(channel, "`or` widens a channel's rule").not.equal(undefined);
        if (channel !== undefined) expect(who, "a role needs an account").equal("session");
      });

      it("says which scopes it needs", () => {
        const { who } = operation["x-access"];
        const scopes = operation["x-scopes"];
        const isLooked = who === "session" || who === "optional" || who === "staff";
        if (scopes === "any") expect(OF_ANY_TOKEN).include(operation.operationId);
        else if (isLooked) expect(scopes).an("array");
        else expect(scopes).equal(undefined);
        const carriers = operation.security.filter((one) => "personalToken" in one || "apiKey" in one);
        expect(carriers.length).equal(scopes === undefined || scopes.length === 0 ? 0 : 2);
      });

      it("takes no personal token where the account's security is at stake", () => {
        if (!SECURITY_PATH.test(path) || OF_ANY_TOKEN.includes(operation.operationId)) return;
        expect(operation["x-scopes"] ?? []).deep.equal([]);
      });

      it("names its errors, each with an answer", () => {
        expect(operation["x-errors"]).include.members(["internal", "unavailable"]);
        for (const code of operation["x-errors"]) {
          if (!isErrorCode(code)) throw new Error(`unknown code ${String(code)}`);
          expect(operation.responses).have.property(String(ERRORS[code][0]));
        }
      });
    });
  }
});

describe("the rules for operations", () => {
  const sound = () => ({
    operationId: "doSomething",
    "x-access": { who: "session" },
    "x-scopes": [],
    "x-errors": [],
    responses: { "204": { description: "Done." } },
  });
  const kinds = new Map([["UserId", "user"]]);
  const complete = (changes: object) =>
    completeOperation("post", { ...sound(), ...changes }, { sharedResponses: {}, kinds });

  it("take a sound operation", () => {
    expect(() => complete({})).not.to.throw();
  });

  for (const [what, changes] of Object.entries({
    "no access rule": { "x-access": undefined },
    "an unknown kind of caller": { "x-access": { who: "everyone" } },
    "no scopes": { "x-scopes": undefined },
    "no scopes, though one may sign in": { "x-access": { who: "optional" }, "x-scopes": undefined },
    "scopes that there aren't": { "x-scopes": ["chat:listen"] },
    "scopes where nobody shows a token": { "x-access": { who: "anonymous" } },
    "no errors": { "x-errors": undefined },
    "an error that isn't registered": { "x-errors": ["out_of_luck"] },
    "a role in the channel of a path that names a user": {
      "x-access": { who: "session", channel: "owner" },
      parameters: [{ $ref: "#/components/parameters/UserId" }],
    },
  })) {
    it(`refuse one with ${what}`, () => {
      expect(() => complete(changes)).to.throw();
    });
  }
});

/** Those of parameters, headers and bodies, wherever they are. */
function schemasIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]: [string, unknown]) =>
    key === "schema" && typeof child === "object" && child !== null ? [child] : schemasIn(child),
  );
}
