import { expect } from "chai";
import type { OperationId } from "../../../api/http/bind.ts";
import type { DocumentedOperation, Operation, Parameter } from "../../../contract/openapi-document.ts";
import { operationsOf, parametersOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { type OpenedApp, openApp } from "./open-app.ts";
import { createRawClient, mediaTypeOf, type RawRequest } from "./raw-request.ts";
import { createSampler } from "./sample.ts";
import { BROKEN, beyond, NO_TEXT, WRONG_ESCAPES, WRONG_IDS, wrongFor } from "./wrong-values.ts";

const document = readOpenApi();
const sampler = createSampler(document);
// Of what is signed nothing is read before its signature, and it may hold more than is known: specs/api/monetization/hooks.spec.ts.
const operations = operationsOf(document).filter(({ operation }) => !operation["x-access"].signed);

describe("malformed requests", () => {
  let app: OpenedApp;
  let reached: string[];
  let client: ReturnType<typeof createRawClient>;

  before(async () => {
    reached = [];
    app = await openApp(({ bind }) => {
      for (const { operation } of operations) {
        const id = operation.operationId;
        bind(id as OperationId, () => {
          reached.push(id);
          throw new Error("a handler was reached");
        });
      }
    });
    client = createRawClient(app, document);
  });

  after(async () => {
    client.end();
    await app.close();
  });

  /** Expects a 400 that names the place at fault, and the rule. */
  async function refused(
    documented: DocumentedOperation,
    { at, rule, ...request }: RawRequest & { at: RegExp; rule?: string | undefined },
  ): Promise<void> {
    const answer = await client.send(documented, request);
    const { code, details } = envelopeOf(JSON.parse(answer.text));
    expect(answer.status, JSON.stringify(details)).equal(400);
    expect(code).equal("validation_failed");
    expect(details.errors[0].path).match(at);
    if (rule) expect(details.errors.map((one) => one.rule)).include(rule);
    for (const { message } of details.errors)
      expect(message).not.match(/match pattern|a schema|NOT be valid/);
    expect(reached).deep.equal([]);
  }

  for (const documented of operations) {
    const { operation } = documented;
    const isJson = mediaTypeOf(operation) === "application/json";
    describe(operation.operationId, () => {
      it("is reached by a request that fits", async () => {
        const answer = await client.send(documented, {});

        expect(reached.splice(0), answer.text).deep.equal([operation.operationId]);
      });

      for (const { name, schema } of idParams(operation)) {
        for (const wrong of WRONG_IDS.filter((id) => !new RegExp(String(schema.pattern ?? "^$")).test(id))) {
          it(`refuses ${wrong} as ${name}`, () =>
            refused(documented, { params: { [name]: wrong }, at: new RegExp(`^/path/${name}`) }));
        }
      }

      for (const encoded of WRONG_ESCAPES) {
        it(`refuses the query ?${encoded}`, () =>
          refused(documented, { query: `?a=${encoded}`, at: /^\/query$/, rule: "encoding" }));
      }
      for (const { name } of pathParams(operation)) {
        it(`refuses wrong escapes in ${name}`, async () => {
          for (const encoded of WRONG_ESCAPES) {
            await refused(documented, { escaped: { [name]: `a${encoded}` }, at: /^\/path/ });
          }
        });
      }

      const { who, open_query: isOpen } = operation["x-access"];
      if (who !== "system" && !isOpen) {
        it("refuses a query parameter that it doesn't know", () =>
          refused(documented, { query: "?unheard_of=1", at: /^\/query\/unheard_of$/ }));
      }

      for (const { name, schema } of queryParams(operation)) {
        it(`refuses ${name} twice`, () =>
          refused(documented, { query: `?${name}=1&${name}=2`, at: new RegExp(`^/query/${name}`) }));
        for (const { what, value, rule } of beyond(schema)) {
          it(`refuses ${what} as ${name}`, () =>
            refused(documented, {
              query: `?${name}=${encodeURIComponent(value)}`,
              at: new RegExp(`^/query/${name}`),
              rule,
            }));
        }
        // Elsewhere that is one more parameter that there isn't.
        if (isOpen) continue;
        it(`refuses an operator in ${name}`, () =>
          refused(documented, { query: `?${name}[$gt]=1`, at: /^\/query\// }));
        const tooMuch =
          schema.maximum === undefined ? [] : [String(Number(schema.maximum) + 1), "99999999999"];
        const tooLittle = schema.minimum === 0 ? "-1" : "0";
        for (const wrong of schema.type === "integer" ? [tooLittle, "1e2", "1.5", "x", "", ...tooMuch] : []) {
          it(`refuses "${wrong}" as ${name}`, () =>
            refused(documented, { query: `?${name}=${wrong}`, at: new RegExp(`^/query/${name}`) }));
        }
      }

      for (const { name, schema } of headerParams(operation)) {
        for (const { what, value, rule } of beyond(schema)) {
          it(`refuses ${what} as ${name}`, () =>
            refused(documented, {
              headers: { [name]: value },
              at: new RegExp(`^/headers?/${name}$`, "i"),
              rule,
            }));
        }
      }

      if (!isJson) return;
      for (const [what, raw] of Object.entries(BROKEN)) {
        it(`refuses ${what}`, () => refused(documented, { raw, at: /^\/body/ }));
      }
      for (const [what, raw] of Object.entries(NO_TEXT)) {
        it(`refuses ${what}`, () => refused(documented, { raw, at: /^\/body$/, rule: "encoding" }));
      }

      for (const name of sampler.requiredFields(operation)) {
        it(`refuses a body without ${name}`, () => {
          const { [name]: _left, ...others }: Record<string, unknown> = { ...fieldsOf(operation) };
          return refused(documented, {
            body: others,
            at: new RegExp(`^/body(/${name})?$`),
            rule: "required",
          });
        });
      }

      it("refuses a field that it doesn't know", () =>
        refused(documented, { body: { ...fieldsOf(operation), unheard_of: 1 }, at: /^\/body\/unheard_of$/ }));

      for (const [name, schema] of sampler.bodyFields(operation)) {
        const [one] = [Reflect.get(fieldsOf(operation), name)].flat();
        const tooMany = Number(schema.maxItems) + 1;
        const tooFew = Number(schema.minItems ?? 0) - 1;
        for (const [rule, length] of [["maxItems", tooMany] as const, ["minItems", tooFew] as const]) {
          if (!(length >= 0)) continue;
          it(`refuses ${length} of ${name}`, () =>
            refused(documented, {
              body: { ...fieldsOf(operation), [name]: Array(length).fill(one) },
              at: new RegExp(`^/body/${name}$`),
              rule,
            }));
        }
        for (const { what, value, rule } of wrongFor(schema)) {
          it(`refuses ${what} as ${name}`, () =>
            refused(documented, {
              body: { ...fieldsOf(operation), [name]: value },
              at: new RegExp(`^/body(/${name}(/|$)|$)`),
              rule,
            }));
        }
        for (const [inner, its] of sampler.fields(schema)) {
          for (const { what, value, rule } of wrongFor(its)) {
            it(`refuses ${what} as ${inner} of ${name}`, () =>
              refused(documented, {
                body: { ...fieldsOf(operation), [name]: { ...Object(one), [inner]: value } },
                at: new RegExp(`^/body(/${name}/${inner}(/|$)|$)`),
                rule,
              }));
          }
        }
        if (schema.items === undefined) continue;
        const item = sampler.items(schema);
        const listOf = (value: unknown) => Array(Math.max(1, tooFew + 1)).fill(value);
        for (const [inner, its] of sampler.fields(item)) {
          for (const { what, value, rule } of wrongFor(its)) {
            it(`refuses ${what} as ${inner} of each of ${name}`, () =>
              refused(documented, {
                body: { ...fieldsOf(operation), [name]: listOf({ ...Object(one), [inner]: value }) },
                at: new RegExp(`^/body(/${name}/0/${inner}(/|$)|$)`),
                rule,
              }));
          }
        }
        for (const { what, value, rule } of wrongFor(item)) {
          it(`refuses ${what} as each of ${name}`, () =>
            refused(documented, {
              body: { ...fieldsOf(operation), [name]: listOf(value) },
              at: new RegExp(`^/body(/${name}(/|$)|$)`),
              rule,
            }));
        }
      }
    });
  }
});

function pathParams(operation: Operation): Parameter[] {
  return parametersOf(document, operation).filter(({ in: where }) => where === "path");
}

/** UUIDs, and names with a pattern of their own. */
function idParams(operation: Operation): Parameter[] {
  return pathParams(operation).filter(({ name }) => name !== "username");
}

function queryParams(operation: Operation): Parameter[] {
  return parametersOf(document, operation).filter(
    ({ in: where, name }) => where === "query" && name !== "rename",
  );
}

function headerParams(operation: Operation): Parameter[] {
  return parametersOf(document, operation).filter(({ in: where }) => where === "header");
}

function fieldsOf(operation: Operation): object {
  return Object(sampler.body(operation));
}

type Complaint = { path: string; rule: string; message: string };

function envelopeOf(body: unknown): { code: unknown; details: { errors: [Complaint] } } {
  const { code, details } = Object(body);
  return { code, details };
}
