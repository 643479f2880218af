import type { JsonSchema } from "../../../contract/openapi-document.ts";

/** A value that a schema refuses, and what is wrong with it. Beyond a limit it is refused by that rule, whatever else is wrong with it. */
type Wrong<Value = unknown> = { what: string; value: Value; rule?: string };

const WRONG_TEXTS: Wrong[] = [
  { what: "a control character", value: "ab\u0000cd" },
  { what: "an unpaired surrogate", value: "abc\ud800" },
];

export function wrongFor(schema: JsonSchema): Wrong[] {
  const types = [schema.type].flat();
  const text = { what: "text", value: "1" };
  const huge = { what: "a huge number", value: 1e300 };
  return [
    { what: "an operator", value: { $ne: null } },
    ...(types.includes("array") ? [] : [{ what: "a list", value: [{ $gt: "" }] }]),
    ...(types.includes("integer")
      ? [text, { what: "a fraction", value: 1.5 }, huge]
      : types.includes("number")
        ? [text, huge]
        : [{ what: "a number", value: 7 }]),
    ...(types.includes("string") && !("format" in schema) ? WRONG_TEXTS : []),
    ...(types.includes("null") ? [] : [{ what: "null", value: null }]),
    ...beyond(schema),
    ...(schema.maximum === undefined
      ? []
      : [{ what: "more than most", value: Number(schema.maximum) + 1, rule: "maximum" }]),
    ...(schema.minimum === undefined
      ? []
      : [{ what: "less than least", value: Number(schema.minimum) - 1, rule: "minimum" }]),
  ];
}

/** Texts just beyond a schema's limits. */
export function beyond({ maxLength, minLength, enum: words }: JsonSchema): Wrong<string>[] {
  const most = Number(maxLength ?? Number.NaN);
  const least = Number(minLength ?? 0);
  return [
    ...(most >= 0 ? [{ what: "a character too much", value: "a".repeat(most + 1), rule: "maxLength" }] : []),
    ...(least > 0
      ? [{ what: "a character too little", value: "a".repeat(least - 1), rule: "minLength" }]
      : []),
    ...(words === undefined
      ? []
      : [{ what: "a word that it doesn't know", value: "unheard of", rule: "enum" }]),
  ];
}

/** Bodies that are broken whatever the operation. */
export const BROKEN: Record<string, string> = {
  "cut JSON": '{"a":',
  "no JSON": "hello",
  "a list": "[]",
  "a string": '"text"',
  null: "null",
  "a number": "1",
  "a prototype": '{"__proto__":{"a":1}}',
  "deep nesting": "[".repeat(20_000),
};

/** Bodies that hold what no text can. */
export const NO_TEXT: Record<string, string | Buffer> = {
  "bytes that aren't UTF-8": Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  "an unpaired surrogate": '{"a":"\\ud83d"}',
  "an unpaired surrogate in a name": '{"a":[{"\\uDE00":1}]}',
  "surrogates in the wrong order": '{"a":"\\ude00\\ud83d"}',
  "an unpaired surrogate deep inside": `${"[".repeat(8_000)}"\\udfff"${"]".repeat(8_000)}`,
  "a surrogate that isn't escaped": Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
};

/** Percent-encoding that no UTF-8 text has: a surrogate, a byte that begins nothing, a cut sequence, no number. */
export const WRONG_ESCAPES = ["%ED%A0%80", "%FF", "%E2%82", "%zz"];

export const WRONG_IDS = [
  "not-a-uuid",
  "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  "$ne",
  "[object Object]",
];
