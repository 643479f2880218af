import { existsSync, readFileSync } from "node:fs";
import { isObject, type JsonObject } from "../json.ts";

export const KINDS = ["openapi", "asyncapi"] as const;
export type Kind = (typeof KINDS)[number];

/** Only for people: they aren't part of the contract, but most of the document. */
const UNKEPT = new Set(["description", "summary", "example", "examples", "title", "links"]);
/** Objects whose keys are field names: a field may have any of the names above. */
const BY_NAME = new Set([
  "properties",
  "schemas",
  "messages",
  "parameters",
  "responses",
  "headers",
  "channels",
]);

export const fileOf = (kind: Kind): URL => new URL(`./${kind}.json`, import.meta.url);

export const NARROWED_FILE = new URL("./narrowed-texts.json", import.meta.url);

/**
 * Where a text is refused now though the release took it: one that shows nothing is of no use to its reader, as little as an empty
 * one, which was refused before (decision 118). What is found beside these is breaking; a release empties the list.
 */
export const narrowedTexts = (): string[] => JSON.parse(readFileSync(NARROWED_FILE, "utf8"));

/** The last release; empty before the first one. */
export function released(kind: Kind): JsonObject {
  if (!existsSync(fileOf(kind))) return { paths: {}, components: {} };
  return JSON.parse(readFileSync(fileOf(kind), "utf8"));
}

/** The current contract. */
export const current = (kind: Kind): JsonObject =>
  promisesOf(JSON.parse(readFileSync(new URL(`../generated/${kind}.json`, import.meta.url), "utf8")));

/** The document without texts for people. */
function promisesOf(document: JsonObject): JsonObject {
  const kept = (value: unknown, isByName: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => kept(item, false));
    if (!isObject(value)) return value;
    const entries = Object.entries(value).filter(([name]) => isByName || !UNKEPT.has(name));
    return Object.fromEntries(
      entries.map(([name, inner]) => [name, kept(inner, !isByName && BY_NAME.has(name))]),
    );
  };
  const all = kept(document, false);
  return isObject(all) ? all : {};
}
