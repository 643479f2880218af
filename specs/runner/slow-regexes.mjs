// Regular expressions whose time grows faster than the text that they are tried on: one long header or field would block a
// worker. Found by scslre, the analysis behind eslint-plugin-regexp: literals of the sources, and patterns of the documents.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const ROOTS = [
  "api",
  "actors",
  "realtime",
  "store",
  "jobs",
  "deploy",
  "contract",
  "base",
  "clients/typescript/src",
  "web/src",
];
const DOCUMENTS = ["openapi.json", "asyncapi.json"].map((name) => join("contract/generated", name));

/** @returns {{ regexes: number, faults: string[] }} */
export function slowRegexes(root) {
  const requireTool = createRequire(join(root, "tools/package.json"));
  const { analyse } = requireTool("scslre");
  const { RegExpParser } = requireTool("@eslint-community/regexpp");
  const typescript = requireTool("typescript");
  const parser = new RegExpParser();

  const sources = ROOTS.flatMap((folder) => sourcesBelow(root, folder));
  const found = new Map([
    ...sources.flatMap((file) => literalsIn(typescript, readFileSync(join(root, file), "utf8"), file)),
    ...DOCUMENTS.flatMap((file) => patternsIn(JSON.parse(readFileSync(join(root, file), "utf8")), file)),
  ]);
  const faults = [...found].flatMap(([literal, where]) =>
    analyse(parser.parseLiteral(literal)).reports.length === 0
      ? []
      : [`${where}: ${literal} takes more than linear time (write it without two ways to match one text).`],
  );
  return { regexes: found.size, faults };
}

function sourcesBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return /\.(ts|tsx|mjs)$/.test(path) ? [path] : [];
    return /^(node_modules|dist|\..*)$/.test(entry.name) ? [] : sourcesBelow(root, path);
  });
}

function literalsIn(typescript, text, file) {
  const source = typescript.createSourceFile(file, text, typescript.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (node.kind === typescript.SyntaxKind.RegularExpressionLiteral) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push([node.text, `${file}:${line + 1}`]);
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

function patternsIn(value, where) {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "pattern" && typeof inner === "string"
      ? [[`/${inner.replaceAll("/", "\\/")}/u`, where]]
      : patternsIn(inner, `${where}/${key}`),
  );
}
