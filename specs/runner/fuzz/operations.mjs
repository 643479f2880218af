import { readFileSync } from "node:fs";

const DOCUMENT = new URL("../../../contract/generated/openapi.json", import.meta.url);

/** Every operation of the document with its method and path. */
export const operations = Object.entries(JSON.parse(readFileSync(DOCUMENT, "utf8")).paths).flatMap(
  ([path, item]) => Object.entries(item).map(([method, operation]) => ({ ...operation, method, path })),
);
