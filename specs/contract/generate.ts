/**
 * Makes the committed files of `generated/` from the YAML: `openapi.json` and its types.
 * With `--check` it writes nothing and fails when they are out of date.
 * Types are made by openapi-typescript, which needs an older compiler and so lives in `tools/`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./openapi/bundle.ts";
import { isObject, walk } from "./openapi/json.ts";

const generated = fileURLToPath(new URL("./generated/", import.meta.url));
const tool = fileURLToPath(new URL("../../tools/node_modules/.bin/openapi-typescript", import.meta.url));

function typesOf(document: ReturnType<typeof bundle>): string {
  if (!existsSync(tool)) throw new Error("openapi-typescript is missing; run `npm ci` in tools/ first.");
  const folder = mkdtempSync(join(tmpdir(), "livecore-contract-"));
  try {
    const [input, output] = [join(folder, "openapi.json"), join(folder, "openapi.ts")];
    writeFileSync(input, withoutExamples(document));
    const run = spawnSync(tool, [input, "--output", output, "--default-non-nullable=false"], {
      encoding: "utf8",
    });
    if (run.status !== 0) throw new Error(`openapi-typescript failed:\n${run.stderr}`);
    return readFileSync(output, "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** They would stand in the types as comments, longer than what they explain. */
const withoutExamples = (document: object): string =>
  JSON.stringify(document, (key, value: unknown) => (key === "example" ? undefined : value));

/** Who may call each operation, as a type: what a handler knows of its caller follows from it. */
function accessTypesOf(document: ReturnType<typeof bundle>): string {
  const lines: string[] = [];
  walk(document.paths, (object) => {
    const access = object["x-access"];
    if (isObject(access)) lines.push(`  ${String(object.operationId)}: "${String(access.who)}";`);
  });
  const head = "/** Made from the OpenAPI document by `npm run generate`. */";
  return `${head}\nexport type OperationAccess = {\n${lines.join("\n")}\n};\n`;
}

const document = bundle();
const json = `${JSON.stringify(document, null, 2)}\n`;
const files = {
  "openapi.json": json,
  "openapi.ts": typesOf(document),
  "operation-access.ts": accessTypesOf(document),
};
const stale = Object.entries(files).filter(([name, content]) => {
  const path = join(generated, name);
  return !existsSync(path) || readFileSync(path, "utf8") !== content;
});

if (process.argv.includes("--check")) {
  for (const [name] of stale)
    process.stderr.write(`specs/contract/generated/${name} is out of date; run npm run generate\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [name, content] of stale) writeFileSync(join(generated, name), content);
  process.stdout.write(`contract: ${stale.length} of ${Object.keys(files).length} files changed\n`);
}
