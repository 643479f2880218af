import type { JsonSchema } from "../../contract/openapi-document.ts";

/** By which rule a value beyond a limit is refused, whatever else is wrong with it. */
export const RULES: Readonly<Record<string, string>> = {
  "a character too much": "maxLength",
  "a character too little": "minLength",
  "a word that it doesn't know": "enum",
  "more than most": "maximum",
  "less than least": "minimum",
};

const WRONG_TEXT: Record<string, string> = {
  "a control character": "ab\u0000cd",
  "an unpaired surrogate": "abc\ud800",
};

/** Values that a schema refuses, by what is wrong with them. */
export function wrongFor(schema: JsonSchema): Record<string, unknown> {
  const types = [schema.type].flat();
  return {
    "an operator": { $ne: null },
    ...(types.includes("array") ? {} : { "a list": [{ $gt: "" }] }),
    ...(types.includes("integer")
      ? { text: "1", "a fraction": 1.5, "a huge number": 1e300 }
      : types.includes("number")
        ? { text: "1", "a huge number": 1e300 }
        : { "a number": 7 }),
    ...(types.includes("string") && !("format" in schema) ? WRONG_TEXT : {}),
    ...(types.includes("null") ? {} : { null: null }),
    ...Object.fromEntries(beyond(schema).map(([what, text]) => [what, text])),
    ...(schema.maximum === undefined ? {} : { "more than most": Number(schema.maximum) + 1 }),
    ...(schema.minimum === undefined ? {} : { "less than least": Number(schema.minimum) - 1 }),
  };
}

/** Texts just beyond a schema's limits, each with the limit's name. */
export function beyond({
  maxLength,
  minLength,
  enum: words,
}: JsonSchema): [what: string, text: string, rule: string][] {
  const most = Number(maxLength) + 1;
  const least = Number(minLength ?? 0) - 1;
  return [
    ...limit(most > 0, "a character too much", "a".repeat(most > 0 ? most : 0), "maxLength"),
    ...limit(least >= 0, "a character too little", "a".repeat(Math.max(0, least)), "minLength"),
    ...limit(words !== undefined, "a word that it doesn't know", "unheard of", "enum"),
  ];
}

function limit(isOne: boolean, what: string, text: string, rule: string): [string, string, string][] {
  return isOne ? [[what, text, rule]] : [];
}
