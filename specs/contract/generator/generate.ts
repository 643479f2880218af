/**
 * Makes the committed files of `generated/` from the YAML: both documents, their types, and tables out of them. The
 * client's folder gets the same types, since it is a package of its own. With `--check` it writes nothing and fails when
 * they are out of date.
 * Types are made by openapi-typescript, which needs an older compiler and so lives in `tools/`, beside AsyncAPI's own
 * schema of documents.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleAsyncApi } from "../asyncapi/bundle.ts";
import { requireValidExamples } from "../asyncapi/examples.ts";
import { requireAsyncApi } from "../asyncapi/official-schema.ts";
import { isObject, type JsonObject, objectAt } from "../json.ts";
import { bundle } from "../openapi/bundle.ts";
import { accessTypesOf, operationTableOf, socketTablesOf } from "./tables.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const CONTRACT = "specs/contract/generated";
const CLIENT = "clients/typescript/src/generated";
const tool = join(root, "tools/node_modules/.bin/openapi-typescript");

/**
 * Examples would stand in the types as comments, longer than what they explain. Further fields beside known ones have no
 * type of their own there: TypeScript would hold the known ones to it as well.
 */
const typable = (document: object): string =>
  JSON.stringify(document, function (this: unknown, key, value: unknown) {
    if (key === "example") return undefined;
    return key === "additionalProperties" && isObject(value) && isObject(this) && "properties" in this
      ? true
      : value;
  });

function typesOf(document: object): string {
  if (!existsSync(tool)) throw new Error("openapi-typescript is missing; run `npm ci` in tools/ first.");
  const folder = mkdtempSync(join(tmpdir(), "livecore-contract-"));
  try {
    const [input, output] = [join(folder, "openapi.json"), join(folder, "openapi.ts")];
    writeFileSync(input, typable(document));
    const run = spawnSync(tool, [input, "--output", output, "--default-non-nullable=false"], {
      encoding: "utf8",
    });
    if (run.status !== 0) throw new Error(`openapi-typescript failed:\n${run.stderr}`);
    return readFileSync(output, "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The sockets' schemas as a document that the tool for types knows: they are JSON Schema in both. */
function schemasAlone(document: JsonObject): JsonObject {
  const schemas = objectAt(objectAt(document, "components", "AsyncAPI"), "schemas", "AsyncAPI");
  const info = { title: "livecore realtime", version: "1" };
  return { openapi: "3.1.0", info, paths: {}, components: { schemas } };
}

const jsonOf = (document: JsonObject) => `${JSON.stringify(document, null, 2)}\n`;

const openapi = bundle();
const asyncapi = bundleAsyncApi(openapi);
requireAsyncApi(asyncapi);
requireValidExamples(asyncapi);

const types = {
  "openapi.ts": typesOf(openapi),
  "asyncapi.ts": typesOf(schemasAlone(asyncapi)),
  "sockets.ts": socketTablesOf(asyncapi),
};
const inContract = {
  "openapi.json": jsonOf(openapi),
  "asyncapi.json": jsonOf(asyncapi),
  ...types,
  "operation-access.ts": accessTypesOf(openapi),
};
const inClient = { ...types, "operations.ts": operationTableOf(openapi) };
const files = [
  ...Object.entries(inContract).map(([name, content]) => [`${CONTRACT}/${name}`, content] as const),
  ...Object.entries(inClient).map(([name, content]) => [`${CLIENT}/${name}`, content] as const),
];
const stale = files.filter(([name, content]) => {
  const path = join(root, name);
  return !existsSync(path) || readFileSync(path, "utf8") !== content;
});

if (process.argv.includes("--check")) {
  for (const [name] of stale) process.stderr.write(`${name} is out of date; run npm run generate\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  mkdirSync(join(root, CLIENT), { recursive: true });
  for (const [name, content] of stale) writeFileSync(join(root, name), content);
  process.stdout.write(`contract: ${stale.length} of ${files.length} files changed\n`);
}
