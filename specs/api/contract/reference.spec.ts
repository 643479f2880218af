import { expect } from "chai";
import { createValidation } from "../../../api/http/validate.ts";
import { ERRORS, type ErrorCode } from "../../../contract/errors.ts";
import {
  type JsonSchema,
  type MediaTypes,
  operationsOf,
  parametersOf,
  readOpenApi,
  responsesOf,
} from "../../../contract/openapi-document.ts";

const document = readOpenApi();
const operations = operationsOf(document);
const validation = createValidation(document);

/** Codes that no single operation has. */
const ELSEWHERE = ["method_not_allowed"];

/** Copies, since a check of a request reads what people type in place. */
const examplesOf = (content: MediaTypes): unknown[] =>
  Object.values(structuredClone(content)).flatMap(({ example, examples = {} }) => [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples).map(({ value }) => value),
  ]);

const schemaNames = (schema: JsonSchema): string[] =>
  (Array.isArray(schema.oneOf) ? schema.oneOf : [schema]).map(({ $ref }: JsonSchema) =>
    String($ref).slice("#/components/schemas/".length),
  );

/** The codes that answers of this schema may have. */
const codesIn = (schema: JsonSchema): unknown[] =>
  schemaNames(schema).map((name) => Object(document.components.schemas[name]?.properties).code?.const);

const codesOfStatus = (codes: ErrorCode[], status: number) =>
  codes.filter((code) => ERRORS[code][0] === status);

describe("the OpenAPI document as a reference", () => {
  it("has a summary of its own for each operation", () => {
    const summaries = operations.map(({ operation }) => operation.summary);
    expect(summaries.filter((summary, index) => summaries.indexOf(summary) !== index)).deep.equal([]);
    for (const summary of summaries) expect(summary).match(/^[A-Z].{5,100}\.$/);
  });

  it("names its parts readably, and has none without a name in a body", () => {
    const { schemas, responses, parameters } = document.components;
    for (const name of Object.keys({ ...schemas, ...responses, ...parameters }))
      expect(name)
        .match(/^([A-Z][a-z]*)+$/)
        .not.match(/.{50}/);
    for (const { operation } of operations) {
      const bodies = [operation.requestBody, ...responsesOf(document, operation).map(([, one]) => one)];
      const schemas = bodies.flatMap((body) =>
        Object.values(body?.content ?? {}).map(({ schema }) => schema),
      );
      expect(schemas.flatMap(schemaNames), operation.operationId).not.include("");
    }
  });

  it("shows every code of the registry", () => {
    const shown = Object.values(document.components.responses).flatMap(({ content = {} }) =>
      examplesOf(content).map((example) => Object(example).code),
    );
    expect([...new Set(shown)]).have.members(Object.keys(ERRORS).filter((code) => !ELSEWHERE.includes(code)));
  });

  it("speaks of the same things throughout", () => {
    const ids = new Map<string, Set<unknown>>();
    JSON.stringify(document.paths, (key, value: unknown) => {
      // What links take of an answer is no id.
      const isLinked = typeof value === "string" && value.startsWith("$");
      if (
        /^(stream_id|prediction_id|channel_user_id|room_id)$/.test(key) &&
        typeof value !== "object" &&
        !isLinked
      )
        // A moderation action has the room's number as a string.
        ids.set(key, (ids.get(key) ?? new Set()).add(String(value)));
      return value;
    });
    expect([...ids].map(([key, values]) => [key, values.size])).deep.equal(
      [...ids.keys()].map((key) => [key, 1]),
    );
    expect(ids.size).equal(4);
  });

  for (const { method, operation } of operations) {
    const { operationId, requestBody } = operation;

    describe(operationId, () => {
      it("says what it does and who may call it, and declares the header that cookies need", () => {
        const { who, client_header } = operation["x-access"];
        const isRequired = method !== "get" || client_header === true;
        const byCookie = ["session", "staff", "optional", "refresh"].includes(who) && isRequired;
        const names = parametersOf(document, operation).map(({ name }) => name);

        expect(operation.description).match(/^[^\n].{15,}[\s\S]*\n\nWho: .+\.$/);
        expect(operation.description).not.match(/^Who: /);
        expect(names.includes("X-Service-Client")).equal(byCookie);
      });

      it("has a request to begin with that the service takes", () => {
        const required = parametersOf(document, operation).filter((parameter) => parameter.required);
        expect(required.every(({ in: place }) => place === "path" || place === "query")).equal(true);
        const exampleIn = (place: string) =>
          Object.fromEntries(
            required.filter((one) => one.in === place).map(({ name, example }) => [name, example]),
          );
        const [path, query] = [exampleIn("path"), exampleIn("query")];
        const bodies = requestBody ? examplesOf(requestBody.content) : [undefined];

        expect(bodies).not.deep.equal([]);
        for (const body of bodies)
          expect(validation.requestCheck(operation)({ path, query, header: {}, body })).deep.equal([]);
      });

      it("shows its answers as they are", () => {
        const check = validation.responseCheck(operation);
        for (const [status, { content = {} }] of responsesOf(document, operation)) {
          const examples = examplesOf(content);
          if (Object.keys(content).length > 0) expect(examples, `${status}`).not.deep.equal([]);
          for (const example of examples) expect(check(status, example), `${status}`).deep.equal([]);
        }
      });

      it("lists its codes under their statuses, each with an example", () => {
        for (const [status, { content }] of responsesOf(document, operation)) {
          if (status < 400) continue;
          const codes = codesOfStatus(operation["x-errors"], status);
          const shown = content?.["application/json"];
          expect(codes, `${status}`).not.deep.equal([]);
          expect(codesIn(shown?.schema ?? {})).have.members(codes);
          expect(
            Object.entries(shown?.examples ?? {}).map(([name, { value }]) => [name, Object(value).code]),
          ).have.deep.members(codes.map((code) => [code, code]));
        }
      });
    });
  }
});
