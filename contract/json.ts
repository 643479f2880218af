export type JsonObject = { [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object at a key that must be there; `where` names it in the complaint. */
export function objectAt(parent: JsonObject, key: string, where: string): JsonObject {
  const value = parent[key];
  if (!isObject(value)) throw new Error(`${where} needs an object at "${key}"`);
  return value;
}

/** Calls `visit` on every object within, parents first. */
export function walk(value: unknown, visit: (object: JsonObject) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  if (!isObject(value)) return;
  visit(value);
  for (const item of Object.values(value)) walk(item, visit);
}

/** Like `walk`, once for each object, and also on all that references lead to. */
export function walkReached(
  document: JsonObject,
  value: unknown,
  visit: (object: JsonObject) => void,
  seen = new Set<JsonObject>(),
): void {
  if (Array.isArray(value)) for (const item of value) walkReached(document, item, visit, seen);
  if (!isObject(value) || seen.has(value)) return;
  seen.add(value);
  visit(value);
  if (typeof value.$ref === "string") walkReached(document, resolveRef(document, value.$ref), visit, seen);
  for (const item of Object.values(value)) walkReached(document, item, visit, seen);
}

/** Follows "#/a/b"; throws when nothing is there. */
export function resolveRef(document: JsonObject, ref: string): JsonObject {
  let at: unknown = document;
  for (const part of ref.replace(/^#\//, "").split("/")) at = isObject(at) ? at[part] : undefined;
  if (!isObject(at)) throw new Error(`The document has nothing at ${ref}`);
  return at;
}
