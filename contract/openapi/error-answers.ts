import type { DetailsSchema } from "../error-details.ts";
import { ERRORS, type ErrorCode } from "../errors.ts";
import type { JsonObject } from "../json.ts";

const STATUS_NAMES: Record<number, string> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  429: "TooManyRequests",
};

/** How codes are called in names of components: `not_found` is NotFound. */
const pascal = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/**
 * The name of the answer with these codes of one status: one that many operations share is named after its codes, a longer
 * list after its operation.
 */
export function errorAnswerName(operationId: string, status: number, codes: readonly ErrorCode[]): string {
  if (codes.length <= 2) return codes.map(pascal).join("Or");
  const name = STATUS_NAMES[status];
  if (name === undefined) throw new Error(`${operationId} refuses with ${status}, which has no name yet`);
  return `${operationId[0]?.toUpperCase()}${operationId.slice(1)}${name}`;
}

/** The answer of one status; its schema is one of those of the codes. */
export function errorAnswer(status: number, codes: readonly ErrorCode[], headers: JsonObject): JsonObject {
  const schemas = codes.map((code) => ({ $ref: `#/components/schemas/${errorSchemaName(code)}` }));
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code][1]}`).join("\n\n"),
    headers: {
      ...(saysWhen(status) ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } : {}),
      ...headers,
    },
    content: {
      "application/json": {
        schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

const errorSchemaName = (code: ErrorCode): string => `${pascal(code)}Error`;

/** A schema for each of the codes, with the details that the registry knows of it. */
export function errorSchemas(codes: Iterable<ErrorCode>): JsonObject {
  return Object.fromEntries([...codes].map((code) => [errorSchemaName(code), errorSchema(code)]));
}

function errorSchema(code: ErrorCode): JsonObject {
  const [status, message, details] = entryOf(code);
  const { examples: _examples, ...schema } = details ?? {};
  const required = requiredOf(status, details);
  return {
    description: message,
    type: "object",
    required: ["code", "message", ...(required.length > 0 ? ["details"] : [])],
    properties: {
      code: { type: "string", const: code },
      message: {
        type: "string",
        description: "In English, for people to read; programs should use the code.",
      },
      ...(details ? { details: { ...schema, required } } : {}),
    },
  };
}

/** Over REST an answer that makes its client wait always says how long. */
function requiredOf(status: number, details: DetailsSchema | undefined): string[] {
  const required = [...(details?.required ?? [])];
  return saysWhen(status) && !required.includes("retry_after_ms")
    ? [...required, "retry_after_ms"]
    : required;
}

const saysWhen = (status: number): boolean => status === 429 || status === 503;

function exampleOf(code: ErrorCode): JsonObject {
  const [, message, details] = entryOf(code);
  const [example = {}] = details?.examples ?? [];
  return { code, message, ...(Object.keys(example).length > 0 ? { details: example } : {}) };
}

const entryOf = (code: ErrorCode): readonly [number, string, DetailsSchema?] => ERRORS[code];
