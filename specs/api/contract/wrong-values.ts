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
    ...Object.fromEntries(beyond(schema)),
    ...(schema.maximum === undefined ? {} : { "more than most": Number(schema.maximum) + 1 }),
    ...(schema.minimum === undefined ? {} : { "less than least": Number(schema.minimum) - 1 }),
  };
}

function text(what: string, wrong: string): [string, string] {
  return [what, wrong];
}

/** Texts just beyond a schema's limits. */
export function beyond({ maxLength, minLength, enum: words }: JsonSchema): [what: string, text: string][] {
  const most = Number(maxLength ?? Number.NaN);
  const least = Number(minLength ?? 0);
  return [
    ...(most >= 0 ? [text("a character too much", "a".repeat(most + 1))] : []),
    ...(least > 0 ? [text("a character too little", "a".repeat(least - 1))] : []),
    ...(words === undefined ? [] : [text("a word that it doesn't know", "unheard of")]),
  ];
}
