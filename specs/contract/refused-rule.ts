import type { ErrorObject } from "ajv/dist/2020.js";

/** Keywords of which ajv only quotes what stands in the schema, or says nothing. */
const OPAQUE = new Set(["pattern", "not", "anyOf", "propertyNames"]);

/**
 * The rule that a value breaks, for people. The documents say in words (`x-words`) what their patterns mean. The validator has to
 * be `verbose`.
 */
export function ruleInWords({ keyword, parentSchema, message }: ErrorObject): string {
  const words: unknown = OPAQUE.has(keyword) ? parentSchema?.["x-words"] : undefined;
  return typeof words === "string" ? `must be ${words}` : (message ?? "is invalid");
}
