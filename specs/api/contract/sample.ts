import { randomUUID } from "node:crypto";
import {
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  parametersOf,
} from "../../../contract/openapi-document.ts";
import { STARTER_CATEGORIES } from "../../../store/mongo/schema/migrations/0004-starter-categories.ts";

/** Values for schemas with a pattern; all others follow from the schema itself. */
const BY_NAME: Record<string, () => string> = {
  username: () => `u${randomUUID().replaceAll("-", "").slice(0, 20)}`,
  username_title: () => "Somebody",
  email: () => `${randomUUID()}@example.com`,
  image_url: () => "https://example.com/a.png",
  banner_url: () => "https://example.com/b.png",
  thumbnail_url: () => "https://example.com/c.png",
  ingress_pull_url: () => "https://example.com/live",
  website: () => "https://example.com/",
  token: () => `lc_em_${"a".repeat(43)}`,
  code: () => "123456",
  code_verifier: () => "v".repeat(43),
  provider: () => "example",
  password: () => "correct horse battery staple",
  currency: () => "USD",
  color: () => "#a0b1c2",
  language: () => "en",
  category_id: () => STARTER_CATEGORIES[0]?._id ?? "",
  before: () => "1:1",
  after: () => "1:1",
};

/** Makes valid requests; ids are new ones, so they name nothing that exists. */
export function createSampler(document: OpenApiDocument) {
  function resolved(schema: JsonSchema): JsonSchema {
    if (typeof schema.$ref !== "string") return schema;
    const found = document.components.schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)];
    if (!found) throw new Error(`The document has no ${schema.$ref}`);
    return resolved(found);
  }

  function sample(name: string, given: JsonSchema): unknown {
    const schema = resolved(given);
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    if (type === "integer" || type === "number") return schema.minimum ?? 1;
    if (type === "boolean") return true;
    if (type === "array") {
      const items = objectOf(schema.items);
      return Array.from({ length: Number(schema.minItems ?? 1) }, () => sample(name, items));
    }
    if (type === "object") {
      return Object.fromEntries(propertiesOf(schema).map(([key, value]) => [key, sample(key, value)]));
    }
    if (schema.format === "uuid") return randomUUID();
    if (schema.format === "date-time") return new Date().toISOString();
    if (schema.format === "date") return new Date().toISOString().slice(0, 10);
    if (schema.format === "uri") return "https://example.com/";
    return BY_NAME[name]?.() ?? "sample".padEnd(Number(schema.minLength ?? 0), ".");
  }

  function bodySchema(operation: Operation): JsonSchema | null {
    const content = Object.values(operation.requestBody?.content ?? {})[0];
    return content ? resolved(content.schema) : null;
  }

  const fields = (object: JsonSchema): [name: string, JsonSchema][] =>
    propertiesOf(object).map(([name, value]) => [name, resolved(value)]);

  return {
    pathParams: (operation: Operation): Record<string, string> =>
      Object.fromEntries(
        parametersOf(document, operation)
          .filter((parameter) => parameter.in === "path")
          .map(({ name, schema }) => [name, String(sample(name, schema))]),
      ),
    /** A body with every field of the operation; undefined when it takes no body. */
    body: (operation: Operation): unknown => {
      const schema = bodySchema(operation);
      return schema ? sample("body", schema) : undefined;
    },
    /** What is in a list. */
    items: (list: JsonSchema): JsonSchema => resolved(objectOf(list.items)),
    /** The fields of an object, by name; none of what isn't one. */
    fields,
    /** The names of the fields that the body must have. */
    requiredFields: (operation: Operation): string[] => {
      const names = bodySchema(operation)?.required;
      return Array.isArray(names) ? names.map(String) : [];
    },
    /** The fields of the body by name. */
    bodyFields: (operation: Operation): [name: string, JsonSchema][] => {
      const schema = bodySchema(operation);
      return schema ? fields(schema) : [];
    },
  };
}

function propertiesOf(schema: JsonSchema): [string, JsonSchema][] {
  return Object.entries(objectOf(schema.properties)).map(([name, value]) => [name, objectOf(value)]);
}

function objectOf(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
