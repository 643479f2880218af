import type { ErrorObject } from "ajv/dist/2020.js";
import type { JsonObject } from "./json.ts";

/** Keywords of which ajv only quotes what stands in the schema, or says nothing. */
const OPAQUE = new Set(["pattern", "not", "anyOf", "propertyNames"]);

/** The same at all doors. Those of numbers and files refuse nothing. */
const FORMAT_WORDS = {
  uuid: "a UUID",
  "date-time": "a time such as 2026-05-01T18:30:00Z",
  date: "a date such as 2026-05-01",
  uri: "an address such as https://example.org/page",
  email: "an email address, such as name@example.org",
  int64: null,
  double: null,
  binary: null,
} as const;

/** What a value of this format must be. */
export const formatInWords = (format: "uuid" | "date-time"): string => `must be ${FORMAT_WORDS[format]}`;

const isFormatWithWords = (format: unknown): format is keyof typeof FORMAT_WORDS =>
  typeof format === "string" && Object.hasOwn(FORMAT_WORDS, format);

/**
 * The rule that a value breaks, for people. The documents say in words (`x-words`) what their patterns mean. The validator has to
 * be `verbose`.
 */
export function ruleInWords({ keyword, parentSchema, params, message }: ErrorObject): string {
  const words =
    keyword === "format" ? wordsOf(params.format) : OPAQUE.has(keyword) && parentSchema?.["x-words"];
  if (typeof words === "string") return `must be ${words}`;
  return boundInWords(keyword, params) ?? message ?? "is invalid";
}

/** Rules that ajv says in words for programmers; null for others. */
function boundInWords(keyword: string, params: ErrorObject["params"]): string | null {
  const { limit } = params;
  switch (keyword) {
    case "minLength":
      return limit === 1 ? "must not be empty" : `must have at least ${limit} characters`;
    case "maxLength":
      return `must have at most ${counted(limit, "character")}`;
    case "minItems":
      return `must have at least ${counted(limit, "item")}`;
    case "maxItems":
      return `must have at most ${counted(limit, "item")}`;
    case "minimum":
      return `must be at least ${limit}`;
    case "maximum":
      return `must be at most ${limit}`;
    case "enum":
      return choiceInWords(params.allowedValues);
    case "const":
      return `must be ${params.allowedValue}`;
    case "required":
      return "is missing";
    default:
      return null;
  }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Longer lists help nobody who reads them in a sentence. */
const MOST_CHOICES = 12;

const choiceInWords = (allowed: readonly unknown[]): string =>
  allowed.length > MOST_CHOICES
    ? "must be one of the allowed values"
    : `must be one of ${allowed.join(", ")}`;

const wordsOf = (format: unknown) => (isFormatWithWords(format) ? FORMAT_WORDS[format] : null);

/** Throws for a pattern or a format that refuses values without words for people. */
export function requireWords({ pattern, format, "x-words": words }: JsonObject): void {
  if (typeof words === "string") return;
  if (typeof pattern === "string")
    throw new Error(`the pattern ${pattern} needs x-words, which people see when it refuses them`);
  if (typeof format === "string" && !isFormatWithWords(format))
    throw new Error(`the format ${format} needs words in refused-rule.ts`);
}
