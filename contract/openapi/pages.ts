import { isObject, type JsonObject, objectAt } from "../json.ts";

const parameter = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name}` });

/**
 * Expands an operation's `x-page-of`: its parameters, its answer, and that answer's schema. Throws where it doesn't say `x-newest-first`,
 * so that no list goes without a cursor by an oversight.
 */
export function expandPage(operation: JsonObject, schemas: JsonObject): void {
  const { "x-page-of": item, parameters = [], responses = {} } = operation;
  if (typeof item !== "string") return;
  if (!Array.isArray(parameters) || !isObject(responses))
    throw new Error(`${String(operation.operationId)}: parameters are a list, responses an object`);
  delete operation["x-page-of"];
  const name = `Paginated${item}`;
  schemas[name] = { "x-page-of": item };
  const isNewestFirst = operation["x-newest-first"];
  if (typeof isNewestFirst !== "boolean")
    throw new Error(`${String(operation.operationId)}: x-newest-first has to be true or false`);
  const before = isNewestFirst ? [parameter("BeforeItem")] : [];
  delete operation["x-newest-first"];
  operation.parameters = [...parameters, ...before, parameter("Page"), parameter("PerPage")];
  const declared = "200" in responses ? objectAt(responses, "200", String(operation.operationId)) : {};
  const content = { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } };
  operation.responses = { ...responses, 200: { description: "One page.", ...declared, content } };
}
