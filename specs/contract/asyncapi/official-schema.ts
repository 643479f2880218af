import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv, type ErrorObject } from "ajv";
import formats from "ajv-formats";
import type { JsonObject } from "../json.ts";

/** AsyncAPI's own description of its documents; the package holds one a version. */
const SCHEMA = fileURLToPath(
  new URL("../../../tools/node_modules/@asyncapi/specs/schemas/3.0.0-without-$id.json", import.meta.url),
);
const MAX_SHOWN = 10;

/** What keeps a document from being AsyncAPI 3.0.0, in words; none when it is. */
export function asyncApiFaults(document: JsonObject): string[] {
  if (!existsSync(SCHEMA)) throw new Error("@asyncapi/specs is missing; run `npm ci` in tools/ first.");
  // The schema names its own dialect inside itself, which a strict reader takes for two schemas of one name.
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, allErrors: true, logger: false });
  formats.default(ajv);
  const isAsyncApi = ajv.compile(JSON.parse(readFileSync(SCHEMA, "utf8")));
  if (isAsyncApi(document)) return [];
  return (isAsyncApi.errors ?? []).slice(0, MAX_SHOWN).map(inWords);
}

const inWords = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath || "/"} ${message} ${JSON.stringify(params)}`;

export function requireAsyncApi(document: JsonObject): void {
  const faults = asyncApiFaults(document);
  if (faults.length > 0) throw new Error(`This is no AsyncAPI 3.0.0:\n${faults.join("\n")}`);
}
