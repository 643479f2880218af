import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { isObject, type JsonObject, objectAt, resolveRef } from "../../json.ts";

const FILE = "examples/world.yaml";
/** The file's name in errors. */
const WORLD = `contract/openapi/${FILE}`;
const SCHEMAS = "#/components/schemas/";

/**
 * Adds an example to every body, success answer and required parameter of the document, from the one world of `world.yaml`: the
 * fields of a schema come from the entry under the schema's name; missing ones follow from the schema (another schema's example,
 * a default, null). `operations` there lists differences of single operations. Throws once, with all of them, for examples that
 * can't be made and for entries that nothing uses.
 */
export function addExamples(document: JsonObject, operations: readonly JsonObject[], folder: URL): void {
  // Our own file: its aliases are many, and no attack.
  const world: unknown = parse(readFileSync(new URL(FILE, folder), "utf8"), { maxAliasCount: -1 });
  if (!isObject(world)) throw new Error(`${WORLD} holds no object`);
  const facts = objectAt(world, "schemas", WORLD);
  const parameters = objectAt(world, "parameters", WORLD);
  const differences = objectAt(world, "operations", WORLD);
  const variants = objectAt(world, "variants", WORLD);
  const missing = new Set<string>();
  const exampleOf = composer(document, facts, objectAt(world, "page", WORLD), missing);
  const unused = new Set(Object.keys(parameters));

  const components = objectAt(document, "components", WORLD);
  const shared = Object.entries(objectAt(components, "parameters", WORLD));
  const own = operations.flatMap(({ parameters: list }) => (Array.isArray(list) ? list : []));
  for (const [name, parameter] of [...shared, ...own.map((one) => [String(one.name), one] as const)]) {
    if (!isObject(parameter) || parameter.required !== true) continue;
    if (!(name in parameters)) missing.add(`the parameter ${name}`);
    parameter.example = parameters[name];
    unused.delete(name);
  }
  for (const operation of operations) {
    const id = String(operation.operationId);
    const different = asObject(differences[id]);
    const bodies = { request: operation.requestBody, ...objectAt(operation, "responses", id) };
    for (const [part, body] of Object.entries(bodies)) {
      const content = isObject(body) && isObject(body.content) ? Object.values(body.content) : [];
      for (const media of content.filter(isObject)) {
        if (!isObject(media.schema)) throw new Error(`${id} has a body without a schema`);
        const { schema } = media;
        const difference = part === "200" ? withCursor(operation, different[part]) : different[part];
        const several = variants[schemaName(schema)];
        if (several === undefined) {
          media.example = exampleOf(schema, id, difference);
          continue;
        }
        const named = Object.entries(objectAt(variants, schemaName(schema), WORLD)).map(([name, fields]) => [
          name,
          { value: exampleOf(schema, id, either(difference, fields)) },
        ]);
        media.examples = Object.fromEntries(named);
      }
    }
  }
  const ids = new Set(operations.map(({ operationId }) => operationId));
  const strangers = [
    ...unused,
    ...Object.keys(differences).filter((id) => !ids.has(id)),
    ...Object.keys(facts).filter((name) => !isObject(objectAt(components, "schemas", WORLD)[name])),
  ];
  const faults = [
    ...[...missing].map((one) => `has nothing for ${one}`),
    ...strangers.map((one) => `speaks of ${one}, which isn't there, or is an optional parameter`),
  ];
  if (faults.length > 0) throw new Error(faults.map((fault) => `${WORLD} ${fault}`).join("\n"));
}

/** A list that takes a cursor gives one, where its default order has the newest first; examples are a last page. */
function withCursor({ parameters }: JsonObject, difference: unknown): unknown {
  const all = Array.isArray(parameters) ? parameters.filter(isObject) : [];
  const sort = all.find(({ name }) => name === "sort");
  const isMoving = sort !== undefined && objectAt(sort, "schema", "sort").default !== "recent";
  if (isMoving || !all.some(({ $ref }) => $ref === "#/components/parameters/BeforeItem")) return difference;
  return { before_cursor: null, ...asObject(difference) };
}

/** What has no example is added to `missing`. */
function composer(document: JsonObject, facts: JsonObject, page: JsonObject, missing: Set<string>) {
  /** `difference` overrides known fields; an empty object there empties one. */
  function exampleOf(schema: JsonObject, where: string, difference?: unknown): unknown {
    if (difference !== undefined && !hasFields(difference)) return difference;
    const name = schemaName(schema);
    if (name === "") return exampleFrom(schema, difference ?? {}, undefined, where);
    const own = facts[name];
    const known = name.startsWith("Paginated") ? { ...page, ...asObject(own) } : own;
    const named = resolveRef(document, SCHEMAS + name);
    // A named schema without fields (Timestamp) is found missing where it stands.
    return exampleFrom(named, difference ?? {}, known, isObject(named.properties) ? name : where);
  }

  function exampleFrom(schema: JsonObject, difference: JsonObject, known: unknown, where: string): unknown {
    if (!isObject(schema.properties)) {
      return known ?? (Object.keys(difference).length > 0 ? difference : simple(schema, where));
    }
    const values = isObject(known) ? known : {};
    const required = Array.isArray(schema.required) ? schema.required : [];
    const example: JsonObject = {};
    for (const [name, property] of Object.entries(schema.properties)) {
      if (!isObject(property)) continue;
      const other = difference[name];
      if (other === undefined && name in values) example[name] = values[name];
      else if (other !== undefined || required.includes(name) || schemaName(property) in facts)
        example[name] = exampleOf(property, `${where}.${name}`, other);
    }
    return example;
  }

  function simple(schema: JsonObject, where: string): unknown {
    if ("default" in schema) return schema.default;
    if ("const" in schema) return schema.const;
    if (schema.type === "array" && isObject(schema.items)) return [exampleOf(schema.items, where)];
    if (mayBeNull(schema)) return null;
    missing.add(where);
    return null;
  }

  return exampleOf;
}

const schemaName = ({ $ref }: JsonObject): string =>
  typeof $ref === "string" ? $ref.slice(SCHEMAS.length) : "";

const mayBeNull = ({ type, oneOf, enum: values }: JsonObject): boolean =>
  (Array.isArray(type) && type.includes("null")) ||
  (Array.isArray(values) && values.includes(null)) ||
  (Array.isArray(oneOf) && oneOf.some((one) => isObject(one) && one.type === "null"));

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Undefined when neither names anything. */
function either(difference: unknown, fields: unknown): JsonObject | undefined {
  const both = { ...asObject(difference), ...asObject(fields) };
  return hasFields(both) ? both : undefined;
}

const hasFields = (value: unknown): value is JsonObject => isObject(value) && Object.keys(value).length > 0;
