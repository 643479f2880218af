import { type JsonObject, objectAt, walk } from "../json.ts";

const SHARED = "./generated/openapi.json#/components/schemas/";
const OWN = "#/components/schemas/";

/**
 * Rewrites references to the OpenAPI document to copies in this document, and returns those copies with all that they reference.
 * Throws for what the OpenAPI document doesn't have.
 */
export function takeSharedSchemas(document: JsonObject, openapi: JsonObject): JsonObject {
  const known = objectAt(objectAt(openapi, "components", "OpenAPI"), "schemas", "OpenAPI");
  const taken = new Map<string, JsonObject>();
  const wanted: string[] = [];
  walk(document, (object) => {
    if (typeof object.$ref !== "string" || !object.$ref.startsWith(SHARED)) return;
    const name = object.$ref.slice(SHARED.length);
    object.$ref = `${OWN}${name}`;
    wanted.push(name);
  });
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (taken.has(name)) continue;
    const schema = structuredClone(objectAt(known, name, "The OpenAPI document's schemas"));
    taken.set(name, schema);
    walk(schema, ({ $ref }) => {
      if (typeof $ref === "string" && $ref.startsWith(OWN)) wanted.push($ref.slice(OWN.length));
    });
  }
  return Object.fromEntries([...taken].sort(([a], [b]) => (a < b ? -1 : 1)));
}
