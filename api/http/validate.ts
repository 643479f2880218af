import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { DataValidationCxt } from "ajv/dist/types/index.js";
import formats from "ajv-formats";
import { closedSchema } from "../../contract/closed-schema.ts";
import type { InvalidPart } from "../../contract/errors.ts";
import {
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  parametersOf,
  responsesOf,
} from "../../contract/openapi-document.ts";
import { ruleInWords } from "../../contract/refused-rule.ts";
import { isTypedKind, typedInput } from "../../contract/typed-input.ts";
import { hasMoreValues, mostValuesOf } from "./body-bounds.ts";

/** The unparsed parts of a request; path, query and header values are strings or lists of them. */
export type RequestParts = {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  header: Record<string, unknown>;
  body: unknown;
};

/** Returns the complaints, if any; reads numbers and booleans of path and query, and what people type (`x-typed`), in place. */
type RequestCheck = (parts: RequestParts) => InvalidPart[];
type ResponseCheck = (status: number, body: unknown) => InvalidPart[];

/** If a body has many faults, only the first ones are reported. */
const MAX_COMPLAINTS = 20;
const TOO_MANY_VALUES: InvalidPart = {
  path: "/body",
  rule: "size",
  message: "has more values, or deeper ones, than this operation takes",
};
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const REF = "#/components/schemas/";

export function createValidation(document: OpenApiDocument) {
  const requests = validator(document, (schema) => schema);
  // A field of an answer that the document doesn't know may be a leaked secret.
  const answers = validator(document, closedSchema);

  const resolve = (ref: string): JsonSchema => schemaNamed(document, ref);

  function compileRequestCheck(operation: Operation): RequestCheck {
    const parameters = parametersOf(document, operation);
    const part = (where: string, open: boolean) => {
      const own = parameters.filter((parameter) => parameter.in === where);
      return {
        type: "object",
        additionalProperties: open,
        properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
        required: own.filter((parameter) => parameter.required).map(({ name }) => name),
      };
    };
    const body = operation.requestBody;
    const content = Object.values(body?.content ?? {})[0];
    // Of what is signed the sender is known.
    const mostValues =
      content && !operation["x-access"].signed ? mostValuesOf(content.schema, resolve) : Infinity;
    const check = requests.compile(
      toValidator(document, {
        type: "object",
        required: ["path", "query", "header", ...(body?.required ? ["body"] : [])],
        properties: {
          path: part("path", false),
          query: part(
            "query",
            operation["x-access"].query_key === true || operation["x-access"].open_query === true,
          ),
          header: part("header", true),
          ...(content ? { body: content.schema } : {}),
        },
      }),
    );
    const typed = parameters
      .filter(({ in: where }) => where === "query" || where === "path")
      .map(
        ({ name, in: where, schema }) =>
          ({ name, where: where === "path" ? where : "query", type: schema.type }) as const,
      );
    return (parts) => {
      if (hasMoreValues(parts.body, mostValues)) return [TOO_MANY_VALUES];
      for (const { name, where, type } of typed) {
        const value = parts[where][name];
        if (typeof value === "string") parts[where][name] = fromText(value, type);
      }
      return complaintsOf(check, parts);
    };
  }

  /** Most operations share the schemas of refusals. */
  const compiledAnswer = oncePerKey((schema: JsonSchema) =>
    answers.compile(toValidator(document, closedSchema(schema))),
  );

  function compileResponseCheck(operation: Operation): ResponseCheck {
    const described = new Map(responsesOf(document, operation));
    return (status, body) => {
      const response = described.get(status);
      if (!response) return [{ path: "/status", rule: "status", message: `${status} isn't in the document` }];
      const [content] = Object.values(response.content ?? {});
      if (!content) {
        return body === undefined ? [] : [{ path: "/body", rule: "empty", message: "should have no body" }];
      }
      return complaintsOf(compiledAnswer(content.schema), body);
    };
  }

  return {
    /**
     * Compiled at the operation's first request: each takes milliseconds, and all at the start would take a worker's first
     * second.
     */
    requestCheck: oncePerKey(compileRequestCheck),
    /** Compiled at the first answer, only in specs. */
    responseCheck: oncePerKey(compileResponseCheck),
  };
}

export type Validation = ReturnType<typeof createValidation>;

/** Memoizes: compiled checks serve every app of a process. */
function oncePerKey<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, Made>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

function validator(document: OpenApiDocument, prepare: (schema: JsonSchema) => JsonSchema): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    // For `ruleInWords`.
    verbose: true,
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    // A spec validates the document against the schema's schema; doing so at every start would take longer than half the checks.
    validateSchema: false,
  });
  formats.default(ajv);
  // Marks for readers of the document, which say nothing about values.
  ajv.addVocabulary(["x-secret", "x-words", "x-deprecated-since", "x-sunset"]);
  // Before all rules, which describe what was meant. ajv checks those of a type last.
  ajv.addKeyword({
    keyword: "x-typed",
    schemaType: "string",
    before: "not",
    modifying: true,
    errors: false,
    validate(kind: unknown, typed: unknown, _schema?: unknown, at?: DataValidationCxt): boolean {
      if (!isTypedKind(kind) || !at) throw new Error(`x-typed can't be ${String(kind)} here`);
      if (typeof typed === "string") at.parentData[at.parentDataProperty] = typedInput(kind, typed);
      return true;
    },
  });
  // The package's own format also accepts "urn:uuid:".
  ajv.addFormat("uuid", UUID);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(toValidator(document, prepare(schema)), `schema:${name}`);
  }
  return ajv;
}

function schemaNamed({ components }: OpenApiDocument, ref: string): JsonSchema {
  const schema = components.schemas[ref.slice(REF.length)];
  if (!schema) throw new Error(`The document has no ${ref}`);
  return schema;
}

/**
 * Rewrites references to the schemas' ids in the validator. Items that must be unique get their type beside the reference:
 * only with it ajv compares them in linear time.
 */
function toValidator(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === "$ref" && typeof value === "string") return value.replace(REF, "schema:");
      if (typeof value !== "object" || value === null || !("uniqueItems" in value)) return value;
      return { ...value, items: typed(document, Object(Reflect.get(value, "items"))) };
    }),
  );
}

function typed(document: OpenApiDocument, items: JsonSchema): JsonSchema {
  const { $ref } = items;
  const { type } = typeof $ref === "string" ? schemaNamed(document, $ref) : items;
  if (typeof type !== "string" || type === "object" || type === "array")
    throw new Error(`uniqueItems is for items of one scalar type, not for ${JSON.stringify(items)}`);
  return { ...items, type };
}

/** Only plain forms are converted: no "1e3", no " 1", no "yes". Anything else stays text and is complained about. */
function fromText(value: string, type: unknown): unknown {
  if (type === "integer" && /^-?(0|[1-9][0-9]{0,63})$/.test(value)) return Number(value);
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return value;
}

function complaintsOf(check: ValidateFunction, value: unknown): InvalidPart[] {
  if (check(value)) return [];
  return (check.errors ?? []).slice(0, MAX_COMPLAINTS).map(complaint);
}

function complaint(error: ErrorObject): InvalidPart {
  const { instancePath, keyword, params } = error;
  const field: unknown = params.missingProperty ?? params.additionalProperty;
  const path = typeof field === "string" ? `${instancePath}/${escaped(field)}` : instancePath;
  return { path: path.slice(0, 200), rule: keyword, message: ruleInWords(error) };
}

const escaped = (name: string): string => name.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1");
