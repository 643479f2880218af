import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv, type ErrorObject } from "ajv";
import formats from "ajv-formats";
import type { JsonObject } from "../json.ts";

/** AsyncAPI's own schema of its documents; the package has one per version. */
const SCHEMA = fileURLToPath(
  new URL("../../tools/node_modules/@asyncapi/specs/schemas/3.0.0-without-$id.json", import.meta.url),
);
const MAX_SHOWN = 10;

/** Returns why a document isn't valid AsyncAPI 3.0.0, in words; empty when it is. */
export function asyncApiFaults(document: JsonObject): string[] {
  if (!existsSync(SCHEMA)) throw new Error("@asyncapi/specs is missing; run `npm ci` in tools/ first.");
  // The schema embeds its own dialect, which a strict validator takes for two schemas with the same name.
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
