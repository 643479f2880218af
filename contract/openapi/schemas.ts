import { isObject, type JsonObject, resolveRef, walk, walkReached } from "../json.ts";
import { requireWords } from "../refused-rule.ts";
import { textRule } from "../text-patterns.ts";
import { EMAIL_RULE } from "../typed-input.ts";

/** For readers: the common form of all errors. */
const STANDALONE = new Set(["Error"]);

/** Expands `x-extends` and `x-page-of`, so that tools that don't know them read plain schemas. */
export function expandSchemas(document: JsonObject): void {
  const bases = new Set<string>();
  walk(document, (schema) => {
    if (typeof schema["x-page-of"] === "string") replace(schema, pageOf(schema["x-page-of"]));
    if (typeof schema["x-extends"] !== "string") return;
    bases.add(schema["x-extends"]);
    replace(schema, extended(document, schema));
  });
  // Schemas that are only extended have been expanded where they are used.
  const used = referencesIn(document);
  const schemas = resolveRef(document, "#/components/schemas");
  for (const name of bases) if (!used.has(`#/components/schemas/${name}`)) delete schemas[name];
}

function referencesIn(document: JsonObject): Set<string> {
  const used = new Set<string>();
  walk(document, ({ $ref }) => void (typeof $ref === "string" && used.add($ref)));
  return used;
}

/** The pagination wrapper (docs/interface.md#4-requests-and-answers). */
function pageOf(item: string): JsonObject {
  return {
    type: "object",
    required: ["page", "per_page", "total", "has_more", "items"],
    properties: {
      page: { type: "integer", minimum: 1 },
      per_page: { type: "integer", minimum: 1, maximum: 100 },
      total: { type: "integer" },
      has_more: { type: "boolean", description: "Whether anything follows this page." },
      before_cursor: {
        type: ["string", "null"],
        description:
          "Only of lists that take `before`, in an order that takes it: its value for the next page, which then has what follows this one, whatever has come or gone since. Null at the end. Opaque: one place may have several.",
      },
      items: { type: "array", items: { $ref: `#/components/schemas/${item}` } },
    },
  };
}

function extended(document: JsonObject, schema: JsonObject): JsonObject {
  const { "x-extends": name, ...own } = schema;
  const base = structuredClone(resolveRef(document, `#/components/schemas/${String(name)}`));
  if (typeof base["x-extends"] === "string") replace(base, extended(document, base));
  const merged: JsonObject = { ...base, ...own };
  if (isObject(base.properties) && isObject(own.properties)) {
    merged.properties = { ...base.properties, ...own.properties };
    merged.required = [...list(base.required), ...list(own.required)];
  }
  if (Array.isArray(base.enum) && list(merged.type).includes("null")) merged.enum = [...base.enum, null];
  return merged;
}

/** Gives every string that a client may send its text pattern, in all schemas that requests reach. */
export function restrictRequestText(document: JsonObject, operations: JsonObject[]): void {
  const requests = operations.map(({ parameters, requestBody }) => [parameters, requestBody]);
  walkReached(document, requests, (schema) => {
    if (schema["x-typed"] === "email" && !("format" in schema)) Object.assign(schema, EMAIL_RULE);
    if (isString(schema) && !("enum" in schema) && !("pattern" in schema) && !("format" in schema)) {
      Object.assign(schema, { ...textRule(schema["x-text"]), ...wordsOf(schema) });
    }
    delete schema["x-text"];
    requireWords(schema);
  });
}

/** Throws for a reference that leads nowhere and for a schema that nothing refers to. */
export function checkReferences(document: JsonObject): void {
  const used = referencesIn(document);
  for (const reference of used) resolveRef(document, reference);
  const schemas = resolveRef(document, "#/components/schemas");
  const unused = Object.keys(schemas).filter(
    (name) => !used.has(`#/components/schemas/${name}`) && !STANDALONE.has(name),
  );
  if (unused.length > 0) throw new Error(`Nothing refers to the schemas ${unused.join(", ")}`);
}

/** Of a rule that is more than its pattern. */
const wordsOf = ({ "x-words": words }: JsonObject): JsonObject =>
  words === undefined ? {} : { "x-words": words };

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isString = ({ type }: JsonObject): boolean =>
  type === "string" || (Array.isArray(type) && type.includes("string"));

function replace(target: JsonObject, source: JsonObject): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, source);
}
