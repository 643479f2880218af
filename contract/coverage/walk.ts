import { isObject, type JsonObject, resolveRef } from "../json.ts";
import { isPage, resourceOf } from "./inventory/names.ts";

/** The position of a value: in these resources, at this path of each. A summary inside a resource has two. */
type Place = { resource: string; path: string };

/** Deeper than any resource. */
const MAX_DEPTH = 20;
const MAX_VALUE_LENGTH = 64;

/**
 * Reports what a JSON value shows of the resources that its schema names: `field R.f` for a present value, `value R.f = v` for a
 * plain one, `page R` for a page that isn't empty, `change R a → b` for an entry of a history.
 */
export function walk(
  document: JsonObject,
  schema: unknown,
  value: unknown,
  observe: (what: string) => void,
): void {
  visit(schema, value, [], 0);

  function visit(schema: unknown, value: unknown, places: Place[], depth: number): void {
    if (!isObject(schema) || value === null || depth > MAX_DEPTH) return;
    if (typeof schema.$ref === "string") follow(schema.$ref, value, places, depth);
    for (const part of partsOf(schema)) visit(part, value, places, depth + 1);
    if (Array.isArray(value)) for (const item of value) visit(schema.items, item, places, depth + 1);
    if (!isObject(value) || !isObject(schema.properties)) return;
    for (const [name, inner] of Object.entries(schema.properties)) {
      if (!Object.hasOwn(value, name)) continue;
      const within = places.map(({ resource, path }) => ({ resource, path: `${path}.${name}` }));
      for (const { resource, path } of within) report(`${resource}${path}`, value[name]);
      visit(inner, value[name], within, depth + 1);
    }
  }

  function follow(ref: string, value: unknown, places: Place[], depth: number): void {
    const name = ref.slice(ref.lastIndexOf("/") + 1);
    visit(resolveRef(document, ref), value, [...places, { resource: resourceOf(name), path: "" }], depth + 1);
    if (!isObject(value)) return;
    if (isPage(name) && holds(value.items)) observe(`page ${name.slice("Paginated".length)}`);
    if (name.endsWith("Change") && "from" in value && "to" in value) {
      observe(`change ${name.slice(0, -"Change".length)} ${value.from ?? "none"} → ${value.to}`);
    }
  }

  function report(at: string, value: unknown): void {
    if (holds(value)) observe(`field ${at}`);
    if (isPlain(value)) observe(`value ${at} = ${value}`);
  }
}

/** Null, 0 and empty values show nothing: a field that nobody can set would have them, too. */
function holds(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === 0) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

/** Long texts can't be of an enumeration. */
function isPlain(value: unknown): value is string | number | boolean {
  if (typeof value === "string") return value.length <= MAX_VALUE_LENGTH;
  return typeof value === "boolean" || typeof value === "number";
}

function partsOf({ allOf, oneOf, anyOf }: JsonObject): unknown[] {
  return [allOf, oneOf, anyOf].flatMap((parts) => (Array.isArray(parts) ? parts : []));
}
