import { newId } from "../../../../base/ids.ts";
import type { RawRequest } from "../raw-request.ts";

/** Below what Node takes as the head of a request, its own headers included. */
const HEAD_BYTES = 15_000;
/** Below what is read of a body. */
const BODY_BYTES = 64_000;

type Worst = { what: string; request: RawRequest };

const filledWith = (part: string, bytes: number): string => part.repeat(Math.floor(bytes / part.length));

const distinct = (bytes: number, partOf: (i: number) => string): string[] => {
  const parts: string[] = [];
  for (let size = 0; size < bytes; ) {
    const part = partOf(parts.length);
    parts.push(part);
    size += part.length + 1;
  }
  return parts;
};

/** Heads as long and as full as they may be, for any operation. */
export const WORST_HEADS: readonly Worst[] = [
  { what: "one parameter repeated", request: { query: `?a${filledWith("&a", HEAD_BYTES)}` } },
  {
    what: "parameters of different names",
    request: { query: `?${distinct(HEAD_BYTES, (i) => `a${i}`).join("&")}` },
  },
  { what: "escapes in the query", request: { query: `?a=${filledWith("%41", HEAD_BYTES)}` } },
  {
    what: "blanks in Authorization",
    request: { headers: { authorization: `Bearer ${filledWith(" ", HEAD_BYTES)}x y` } },
  },
  { what: "a long token", request: { headers: { authorization: `Bearer ${filledWith("a.", HEAD_BYTES)}` } } },
  {
    what: "one cookie repeated",
    request: { headers: { cookie: filledWith("lc_access_token=1; ", HEAD_BYTES) } },
  },
  {
    what: "cookies of different names",
    request: { headers: { cookie: distinct(HEAD_BYTES, (i) => `a${i}=1;`).join(" ") } },
  },
  {
    what: "forwarding addresses",
    request: { headers: { "x-forwarded-for": filledWith("127.0.0.1,", HEAD_BYTES) } },
  },
  {
    what: "headers of different names",
    request: {
      headers: Object.fromEntries(distinct(HEAD_BYTES, (i) => `x${i}: 1`).map((_, i) => [`x${i}`, "1"])),
    },
  },
  {
    what: "parameters of the media type",
    request: { headers: { "content-type": `application/json${filledWith(";a=b ", HEAD_BYTES)}` } },
  },
];

/** JSON bodies as full as they may be, whatever the operation takes. */
const WORST_BODIES: readonly Worst[] = [
  { what: "a list of numbers", request: { raw: `[${filledWith("0,", BODY_BYTES)}0]` } },
  {
    what: "nested lists",
    request: { raw: filledWith("[", BODY_BYTES / 2) + filledWith("]", BODY_BYTES / 2) },
  },
  {
    what: "nested objects",
    request: { raw: `${filledWith('{"a":', BODY_BYTES - 10_000)}0${filledWith("}", 10_800)}` },
  },
  { what: "unknown fields", request: { raw: `{${distinct(BODY_BYTES, (i) => `"a${i}":0`).join(",")}}` } },
  { what: "escaped characters", request: { raw: `"${filledWith("\\u0041", BODY_BYTES)}"` } },
];

/** What is put in place of a field, as JSON of about that many bytes. */
const worstValues = (bytes: number): Record<string, string> => ({
  "a list of numbers": `[${filledWith("0,", bytes)}0]`,
  "a list of different numbers": `[${distinct(bytes, String).join(",")}]`,
  "a list of ids": `[${distinct(bytes, () => `"${newId()}"`).join(",")}]`,
  "a list of empty objects": `[${filledWith("{},", bytes)}{}]`,
  "nested lists": `${filledWith("[", bytes / 2)}${filledWith("]", bytes / 2)}`,
  letters: `"${filledWith("a", bytes)}"`,
  "blanks and an end": `"${filledWith(" ", bytes)}\\u0007"`,
  "characters of three bytes": `"${"€".repeat(bytes / 3)}"`,
  "marks that normalising has to sort": `"a${"\u0344\u0323".repeat(bytes / 4)}"`,
  "an address without an end": `"https://${filledWith("a.", bytes)}"`,
});

/** Of an object: each field in turn is as full as it may be, the others are as given. As JSON of about that many bytes. */
export function worstFields(object: object, bytes: number): { what: string; json: string }[] {
  return Object.keys(object).flatMap((name) => {
    const others = JSON.stringify({ ...object, [name]: undefined }).slice(1, -1);
    const before = others === "" ? "" : `${others},`;
    return Object.entries(worstValues(bytes - others.length)).map(([what, value]) => ({
      what: `${what} as ${name}`,
      json: `{${before}${JSON.stringify(name)}:${value}}`,
    }));
  });
}

/** Of a body: everything in a list is wrong, as many as still are looked at one by one. */
function worstLists(body: object): Worst[] {
  return Object.entries(body).flatMap(([name, value]) =>
    Array.isArray(value)
      ? [100, 1_000, 2_000].map((length) => ({
          what: `${length} wrong ones as ${name}`,
          request: {
            raw: JSON.stringify({ ...body, [name]: Array.from({ length }, (_, i) => `wrong ${i}`) }),
          },
        }))
      : [],
  );
}

/** Bodies of a JSON operation for which `body` is a good one. */
export const worstBodiesOf = (body: object): Worst[] => [
  ...WORST_BODIES,
  ...worstFields(body, BODY_BYTES - 500).map(({ what, json }) => ({ what, request: { raw: json } })),
  ...worstLists(body),
];
