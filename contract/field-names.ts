import { isObject, walk } from "./json.ts";
import type { OpenApiDocument } from "./openapi-document.ts";

/** The names of all fields and parameters that the document declares, and of the parts of a request ("body", "query", …). */
export function fieldNamesIn(document: OpenApiDocument): ReadonlySet<string> {
  const names = new Set(["body", "query", "path", "header"]);
  walk(document, ({ properties, name, in: where }) => {
    if (isObject(properties)) for (const field of Object.keys(properties)) names.add(field);
    if (typeof name === "string" && typeof where === "string") names.add(name);
  });
  return names;
}
