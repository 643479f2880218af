import { Agent, type RequestOptions, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { expect } from "chai";
import type { OperationId } from "../../../api/http/bind.ts";
import type { DocumentedOperation, Operation, Parameter } from "../../contract/openapi-document.ts";
import { operationsOf, parametersOf, readOpenApi } from "../../contract/openapi-document.ts";
import { type OpenedApp, openApp, SYSTEM_KEY } from "./open-app.ts";
import { createSampler } from "./sample.ts";
import { beyond, RULES, wrongFor } from "./wrong-values.ts";

const document = readOpenApi();
const sampler = createSampler(document);
// Of what is signed nothing is read before its signature, and it may hold more than is known: specs/api/monetization/hooks.spec.ts.
const operations = operationsOf(document).filter(({ operation }) => !operation["x-access"].signed);

/** Bodies that are broken whatever the operation. */
const BROKEN: Record<string, string> = {
  "cut JSON": '{"a":',
  "no JSON": "hello",
  "a list": "[]",
  "a string": '"text"',
  null: "null",
  "a number": "1",
  "a prototype": '{"__proto__":{"a":1}}',
  "deep nesting": "[".repeat(20_000),
};

/** Bodies that hold what no text can. */
const NO_TEXT: Record<string, string | Buffer> = {
  "bytes that aren't UTF-8": Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  "an unpaired surrogate": '{"a":"\\ud83d"}',
  "an unpaired surrogate in a name": '{"a":[{"\\uDE00":1}]}',
  "surrogates in the wrong order": '{"a":"\\ude00\\ud83d"}',
  "an unpaired surrogate deep inside": `${"[".repeat(8_000)}"\\udfff"${"]".repeat(8_000)}`,
  "a surrogate that isn't escaped": Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
};

/** A query with what it lacks of what the operation needs. */
function queryWith(query: string, operation: DocumentedOperation["operation"]): string {
  const lacking = parametersOf(document, operation).filter(
    ({ in: place, name, required }) =>
      place === "query" && required && !new RegExp(`[?&]${name}(=|&|$)`).test(query),
  );
  if (lacking.length === 0) return query;
  const added = lacking
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
    .join("&");
  return query === "" ? `?${added}` : `${query}&${added}`;
}

/** What takes personal tokens alone is called with one. */
const scopesOfCaller = ({ "x-access": access, "x-scopes": scopes }: DocumentedOperation["operation"]) =>
  access.token_only && Array.isArray(scopes) ? scopes : undefined;

/** Percent-encoding that no UTF-8 text has: a surrogate, a byte that begins nothing, a cut sequence, no number. */
const WRONG_ESCAPES = ["%ED%A0%80", "%FF", "%E2%82", "%zz"];

const WRONG_IDS = ["not-a-uuid", "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8", "$ne", "[object Object]"];

describe("malformed requests", () => {
  let app: OpenedApp;
  let reached: string[];
  // Not by fetch, which takes a fifth of the time of thousands of small requests.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

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
  });

  after(async () => {
    agent.destroy();
    await app.close();
  });

  /** Sends as somebody who may call the operation, and expects a 400 that names the faulty place. */
  async function refused(documented: DocumentedOperation, request: Sent): Promise<void> {
    const answer = await send(documented, request);
    const { code, details } = envelopeOf(JSON.parse(answer.text));
    expect(answer.status, JSON.stringify(details)).equal(400);
    expect(code).equal("validation_failed");
    expect(details.errors[0].path).match(request.at);
    if (request.rule) expect(details.errors.map(({ rule }) => rule)).include(request.rule);
    expect(reached).deep.equal([]);
  }

  type Sent = {
    at: RegExp;
    rule?: string | undefined;
    params?: Record<string, string>;
    /** Parameters of the path that go out as they are. */
    escaped?: Record<string, string>;
    query?: string;
    body?: unknown;
    raw?: string | Buffer;
    headers?: Record<string, string>;
  };

  function send({ method, path, operation }: DocumentedOperation, request: Sent): Promise<Received> {
    const params = { ...sampler.pathParams(operation), ...request.params };
    const address = path.replaceAll(
      /\{(\w+)\}/g,
      (_match, name) => request.escaped?.[name] ?? encodeURIComponent(params[name] ?? ""),
    );
    const body = request.raw ?? bodyText(operation, request.body ?? sampler.body(operation));
    return received(
      `${app.baseUrl}${address}${queryWith(request.query ?? "", operation)}`,
      {
        method: method.toUpperCase(),
        agent,
        headers: {
          ...(operation["x-access"].who === "system"
            ? { "x-system-key": SYSTEM_KEY }
            : { authorization: `Bearer ${app.newToken(scopesOfCaller(operation))}` }),
          "content-type": mediaTypeOf(operation) ?? "application/json",
          ...request.headers,
        },
      },
      mediaTypeOf(operation) === null ? undefined : body,
    );
  }

  for (const documented of operations) {
    const { operation } = documented;
    const isJson = mediaTypeOf(operation) === "application/json";
    describe(operation.operationId, () => {
      it("is reached by a request that fits", async () => {
        const answer = await send(documented, { at: /./ });

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
        for (const [what, wrong] of beyond(schema)) {
          it(`refuses ${what} as ${name}`, () =>
            refused(documented, {
              query: `?${name}=${encodeURIComponent(wrong)}`,
              at: new RegExp(`^/query/${name}`),
              rule: RULES[what],
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
        // The fields of what is in a list.
        for (const [inner, its] of sampler.itemFields(schema)) {
          for (const [what, wrong] of Object.entries(wrongFor(its))) {
            const item = { ...Object(one), [inner]: wrong };
            it(`refuses ${what} as ${inner} of ${name}`, () =>
              refused(documented, {
                body: { ...fieldsOf(operation), [name]: Array(Math.max(1, tooFew + 1)).fill(item) },
                at: new RegExp(`^/body(/${name}/0/${inner}(/|$)|$)`),
                rule: RULES[what],
              }));
          }
        }
        for (const [what, wrong] of Object.entries(wrongFor(schema))) {
          it(`refuses ${what} as ${name}`, () =>
            refused(documented, {
              body: { ...fieldsOf(operation), [name]: wrong },
              at: new RegExp(`^/body(/${name}(/|$)|$)`),
              rule: RULES[what],
            }));
        }
      }
    });
  }
});

type Received = { status: number | undefined; text: string };

function received(
  url: string,
  options: RequestOptions,
  body: string | Buffer | undefined,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      textOf(answer).then((text) => resolve({ status: answer.statusCode, text }), reject);
    });
    sent.on("error", reject);
    // Without it a DELETE has no body.
    if (body !== undefined) sent.setHeader("content-length", Buffer.byteLength(body));
    sent.end(body);
  });
}

function bodyText(operation: Operation, body: unknown): string | undefined {
  if (body === undefined) return undefined;
  if (mediaTypeOf(operation) === "application/json") return JSON.stringify(body);
  return new URLSearchParams(
    Object.entries(Object(body)).map(([k, v]): [string, string] => [k, String(v)]),
  ).toString();
}

function mediaTypeOf(operation: Operation): string | null {
  return Object.keys(operation.requestBody?.content ?? {})[0] ?? null;
}

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

function fieldsOf(operation: Operation): object {
  return Object(sampler.body(operation));
}

type Complaint = { path: string; rule: string };

function envelopeOf(body: unknown): { code: unknown; details: { errors: [Complaint] } } {
  const { code, details } = Object(body);
  return { code, details };
}
