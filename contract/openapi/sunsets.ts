import { firstSunset, type Sunset, sunsetOf } from "../compatibility/sunset.ts";
import { isObject, type JsonObject, resolveRef } from "../json.ts";

const text = (description: string) => ({ description, schema: { type: "string" } });
const HEADERS = {
  Deprecation: text("Since when the operation, or a part of it, is deprecated (RFC 9745)."),
  Sunset: text("When it will be removed (RFC 8594)."),
  Link: text("Where to read about the deprecation and the removal."),
};

/**
 * Declares for each operation with a sunset, of its own or of a parameter or field, what its answers announce: the earliest
 * announced day, in the headers of RFC 9745 and RFC 8594. Throws for incomplete marks.
 */
export function announceSunsets(document: JsonObject, operations: readonly JsonObject[]): void {
  for (const operation of operations) {
    const name = String(operation.operationId);
    const first = firstSunset(marksOf(document, operation, name));
    if (first === null) continue;
    const [tag] = Array.isArray(operation.tags) ? operation.tags : [];
    operation["x-announces"] = headersOf(first, `/docs/#/${String(tag)}/${name}`);
    for (const answer of Object.values(isObject(operation.responses) ? operation.responses : {})) {
      if (!isObject(answer) || "$ref" in answer) continue;
      answer.headers = { ...(isObject(answer.headers) ? answer.headers : {}), ...HEADERS };
    }
  }
}

function headersOf({ since, until }: Sunset, page: string): Record<string, string> {
  return {
    Deprecation: `@${since / 1_000}`,
    Sunset: new Date(until).toUTCString(),
    Link: ["deprecation", "sunset"].map((rel) => `<${page}>; rel="${rel}"; type="text/html"`).join(", "),
  };
}

/** The marks of the operation, and of everything in its requests and answers. */
function marksOf(document: JsonObject, operation: JsonObject, name: string): Sunset[] {
  const marks: Sunset[] = [];
  const met = new Set<unknown>();
  const visit = (value: unknown, where: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, where);
    if (!isObject(value) || met.has(value)) return;
    met.add(value);
    const mark = isMarked(value) ? sunsetOf(value, where) : null;
    if (mark) marks.push(mark);
    if (typeof value.$ref === "string") visit(resolveRef(document, value.$ref), value.$ref);
    for (const [key, inner] of Object.entries(value)) visit(inner, `${where}.${key}`);
  };
  visit(operation, name);
  return marks;
}

/** A field may have the name of a mark; its schema isn't one. */
const isMarked = (value: JsonObject): boolean =>
  value.deprecated === true ||
  typeof value["x-sunset"] === "string" ||
  typeof value["x-deprecated-since"] === "string";
