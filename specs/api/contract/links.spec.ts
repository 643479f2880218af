import { expect } from "chai";
import { isObject, type JsonObject, resolveRef } from "../../../contract/json.ts";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";

const document = readOpenApi();
const operations = operationsOf(document);
const byId = new Map(operations.map((entry) => [entry.operation.operationId, entry]));
const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");

type Link = { operationId: string; parameters: Record<string, string> };
type Made = { links?: Record<string, Link>; content?: JsonObject };

/** What an operation answers once it has made something. */
function madeBy(operation: (typeof operations)[number]["operation"]): Made | null {
  const answer = operation.responses["201"];
  return answer && !("$ref" in answer) ? answer : null;
}

describe("Links of the OpenAPI document", () => {
  const linked = operations.flatMap(({ path, operation }) => {
    const { links = {}, content } = madeBy(operation) ?? {};
    return Object.values(links).map((link) => ({ path, operation, content, link }));
  });

  it("lead to operations, and have all that their paths name", () => {
    for (const { operation, link } of linked) {
      const target = byId.get(link.operationId);
      expect(target, `${operation.operationId} → ${link.operationId}`).not.equal(undefined);
      expect(Object.keys(link.parameters)).have.members(namesIn(target?.path ?? ""));
    }
    expect(linked.length).above(40);
  });

  it("find it in the request's path, or in the answer", () => {
    for (const { path, operation, content, link } of linked) {
      const media = content?.["application/json"];
      const example = isObject(media) ? media.example : undefined;
      for (const [name, where] of Object.entries(link.parameters)) {
        const [, field] = /^\$response\.body#\/(\w+)$/.exec(where) ?? [];
        if (field === undefined)
          expect([where, namesIn(path).includes(name)]).deep.equal([`$request.path.${name}`, true]);
        else expect(Object(example)[field], `${operation.operationId}: ${where}`).not.equal(undefined);
      }
    }
  });

  it("are there for whatever is made in a list and has a path of its own there", () => {
    const forgotten = operations.filter(({ path, operation }) => {
      const made = madeBy(operation);
      const media = made?.content?.["application/json"];
      const ref = isObject(media) && isObject(media.schema) ? media.schema.$ref : undefined;
      if (!made || typeof ref !== "string") return false;
      const { properties } = resolveRef({ components: { ...document.components } }, ref);
      const hasPath = operations.some((other) => /^\/\{\w+\}$/.test(restOf(other.path, path)));
      return hasPath && isObject(properties) && "id" in properties && made.links === undefined;
    });
    expect(forgotten.map(({ operation }) => operation.operationId)).deep.equal([]);
  });
});

const restOf = (path: string, before: string): string =>
  path.startsWith(before) ? path.slice(before.length) : "";
