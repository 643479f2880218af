import { expect } from "chai";
import { isObject, type JsonObject, resolveRef } from "../../../contract/json.ts";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { TEXT_PATTERNS } from "../../../contract/text-patterns.ts";

/**
 * Must not be empty, and may show nothing: ids, tokens and addresses, which programs compare; and names on networks, which a page
 * sends back with all that were stored before.
 */
const COMPARED = (
  "addr channel clientid clip_id code command completion_token device_id discord facebook hidden_users id instagram invitation iss login name nonce " +
  "option_id outcome_id platform_id redirect_uri refresh_token return_to target_id tiktok twitter two_factor_token type username youtube"
).split(" ");

describe("texts of requests that people read", () => {
  const document = readOpenApi();
  const found = new Set<string>();

  function visit(node: unknown, name: string, seen: ReadonlySet<unknown>): void {
    if (Array.isArray(node)) for (const one of node) visit(one, name, seen);
    if (!isObject(node) || seen.has(node)) return;
    const schema: JsonObject = typeof node.$ref === "string" ? resolveRef(document, node.$ref) : node;
    if (seen.has(schema)) return;
    const mayShowNothing = schema.pattern === TEXT_PATTERNS.line || schema.pattern === TEXT_PATTERNS.lines;
    if (mayShowNothing && Number(schema.minLength ?? 0) > 0) found.add(name);
    const { properties, ...rules } = schema;
    const within = new Set([...seen, node, schema]);
    for (const value of Object.values(rules)) visit(value, name, within);
    for (const [field, value] of Object.entries(isObject(properties) ? properties : {}))
      visit(value, field, within);
  }

  it("show something wherever they must not be empty", () => {
    for (const { operation } of operationsOf(document)) visit(operation.requestBody, "body", new Set());
    expect([...found].sort()).deep.equal(COMPARED);
  });
});
