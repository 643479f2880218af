import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { ERRORS, type ErrorCode } from "../errors.ts";
import { inFile } from "../in-file.ts";
import { isObject, type JsonObject, objectAt } from "../json.ts";
import { SCOPES } from "../scopes.ts";
import { errorSchemas } from "./error-answers.ts";
import { addExamples } from "./examples/compose.ts";
import { completeLeftOut } from "./left-out.ts";
import { addLinks } from "./links.ts";
import { completeOperation, loadedKinds } from "./operation-rules.ts";
import { expandPage } from "./pages.ts";
import { checkReferences, expandSchemas, restrictRequestText } from "./schemas.ts";
import { withholdSecrets } from "./secrets.ts";
import { announceSunsets } from "./sunsets.ts";

const METHODS = ["get", "put", "post", "patch", "delete"];
const ROOT = "openapi.yaml";
/** The folder's name in errors. */
const HERE = "contract/openapi/";
const INTRODUCTION = "introduction.md";

/** Bundles the files of this folder into one plain OpenAPI 3.1 document; deterministic, byte for byte. */
export function bundle(folder = new URL("./", import.meta.url)): JsonObject {
  const document = read(folder, ROOT);
  objectAt(document, "info", ROOT).description = readFileSync(new URL(INTRODUCTION, folder), "utf8");
  document.paths = {};
  const fileOf = new Map<string, string>();
  const tagsOf = new Map<string, unknown>();
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith(".yaml") && name !== ROOT)
    .sort()) {
    const part = read(folder, file);
    merge(document, part, file);
    for (const path of Object.keys(objectAt(part, "paths", file))) {
      fileOf.set(path, `${HERE}${file}`);
      tagsOf.set(path, part.tags);
    }
  }
  // After `servers` and `security`, where readers look for it.
  const { components, ...rest } = document;
  const bundled: JsonObject = { ...rest, components };
  const parts = objectAt(bundled, "components", ROOT);
  parts.responses = {};
  objectAt(parts, "schemas", ROOT).ErrorCode = {
    type: "string",
    description: "Codes may be added; handle an unknown code by its status.",
    enum: Object.keys(ERRORS),
  };
  objectAt(parts, "schemas", ROOT).TokenScope = {
    type: "string",
    description: Object.entries(SCOPES)
      .map(([scope, goodFor]) => `- \`${scope}\`: ${goodFor}`)
      .join("\n"),
    enum: Object.keys(SCOPES),
  };
  for (const [path, file] of fileOf) inFile(file, () => completeLeftOut(bundled, path, tagsOf.get(path)));
  const authored = operationsIn(bundled, fileOf);
  for (const { file, operation } of authored)
    inFile(file, () => expandPage(operation, objectAt(parts, "schemas", ROOT)));
  expandSchemas(bundled);
  const sharedResponses = objectAt(parts, "responses", ROOT);
  const kinds = loadedKinds(objectAt(parts, "parameters", ROOT));
  for (const { file, method, operation } of authored)
    inFile(file, () => completeOperation(method, operation, { sharedResponses, kinds }));
  const operations = authored.map(({ operation }) => operation);
  withholdSecrets(bundled, operations);
  addLinks(bundled, authored);
  Object.assign(objectAt(parts, "schemas", ROOT), errorSchemas(codesOf(operations)));
  restrictRequestText(bundled, operations);
  announceSunsets(bundled, operations);
  addExamples(bundled, operations, folder);
  checkReferences(bundled);
  return bundled;
}

/** By the file's text. Specs bundle variants in which one file is another, and YAML takes long to parse. */
const known = new Map<string, string>();

function read(folder: URL, file: string): JsonObject {
  const text = readFileSync(new URL(file, folder), "utf8");
  const asJson = known.get(text) ?? jsonOf(text, file);
  known.set(text, asJson);
  // Aliases and merge keys share objects between paths; a copy lets each be completed alone.
  return JSON.parse(asJson);
}

function jsonOf(text: string, file: string): string {
  const content: unknown = inFile(`${HERE}${file}`, () => parse(text, { merge: true }));
  if (!isObject(content)) throw new Error(`${HERE}${file} holds no object`);
  return JSON.stringify(content);
}

function merge(document: JsonObject, part: JsonObject, file: string): void {
  addAll(objectAt(document, "paths", ROOT), objectAt(part, "paths", file), file);
  const components = objectAt(document, "components", ROOT);
  for (const [kind, entries] of Object.entries(isObject(part.components) ? part.components : {})) {
    components[kind] ??= {};
    if (isObject(entries)) addAll(objectAt(components, kind, ROOT), entries, file);
  }
}

function addAll(target: JsonObject, source: JsonObject, file: string): void {
  for (const [name, value] of Object.entries(source)) {
    if (name in target) throw new Error(`${HERE}${file}: ${name} is defined a second time`);
    target[name] = value;
  }
}

/** Every code that an operation answers, in the registry's order. */
function codesOf(operations: readonly JsonObject[]): ErrorCode[] {
  const answered = new Set(operations.flatMap((operation) => operation["x-errors"]));
  return Object.keys(ERRORS).filter((code): code is ErrorCode => answered.has(code));
}

type Authored = { file: string; path: string; method: string; operation: JsonObject };

function operationsIn(document: JsonObject, fileOf: ReadonlyMap<string, string>): Authored[] {
  const ids = new Set<string>();
  return Object.entries(objectAt(document, "paths", ROOT)).flatMap(([path, item]) => {
    const file = fileOf.get(path) ?? ROOT;
    if (!isObject(item)) throw new Error(`${file}: ${path} holds no object`);
    return Object.entries(item).map(([method, operation]) => {
      if (!METHODS.includes(method) || !isObject(operation))
        throw new Error(`${file}: ${path} can't have "${method}"`);
      const id = operation.operationId;
      if (typeof id !== "string" || ids.has(id))
        throw new Error(`${file}: ${method} ${path} needs an operationId of its own`);
      ids.add(id);
      return { file, path, method, operation };
    });
  });
}
