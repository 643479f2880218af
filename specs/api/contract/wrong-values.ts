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
