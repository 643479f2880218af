import { expect } from "chai";
import { isObject, type JsonObject, resolveRef } from "../../../contract/json.ts";
import { type Operation, operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { TEXT_PATTERNS } from "../../../contract/text-patterns.ts";
import { SHOWN } from "../authorization/all-requests.ts";
import { FILES } from "../authorization/requester.ts";

const WRITTEN: readonly unknown[] = [
  TEXT_PATTERNS.line,
  TEXT_PATTERNS.lines,
  TEXT_PATTERNS.visible,
  TEXT_PATTERNS["visible-lines"],
  TEXT_PATTERNS.spoken,
];

describe("operations that accept a text from callers without a role in the channel", () => {
  const document = readOpenApi();
  const followed = (node: JsonObject): JsonObject =>
    typeof node.$ref === "string" ? resolveRef(document, node.$ref) : node;

  function hasText(node: unknown): boolean {
    if (Array.isArray(node)) return node.some(hasText);
    if (!isObject(node)) return false;
    const schema = followed(node);
    return WRITTEN.includes(schema.pattern) || Object.values(schema).some(hasText);
  }
  function isOpen({ "x-access": { who, channel, or } }: Operation): boolean {
    const needsRole = channel !== undefined && or === undefined;
    return (who === "session" || who === "optional" || who === "anonymous") && !needsRole;
  }
  const found = operationsOf(document)
    .map(({ operation }) => operation)
    .filter((operation) => isOpen(operation) && hasText(operation.requestBody));

  it("has an entry for every operation that says where its text is shown", () => {
    const ids = found.map(({ operationId }) => operationId);
    expect(ids.sort(), `shown: ${FILES}`).deep.equal(Object.keys(SHOWN).sort());
  });

  it("declares blocked_term where a room or its channel shows the text", () => {
    for (const { operationId, "x-errors": errors } of found)
      if (SHOWN[operationId] === "in a room") expect(errors, operationId).include("blocked_term");
  });
});
