import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ERRORS } from "../errors.ts";
import { operationsOf, readOpenApi } from "../openapi-document.ts";
import { ENDPOINTS, ENUMERATIONS, ERROR_CODES, EVENTS, LIMITS, RESOURCES } from "./inventory.ts";

/** `docs/coverage.md`: what the given interface names, what shows it, or "missing". */

const root = fileURLToPath(new URL("../../../", import.meta.url));
const MISSING = "**missing**";
/** Names shown in a cell before the rest is counted. */
const MOST_NAMED = 3;

const document = readOpenApi();
const operations = operationsOf(document);
const asyncapi = readFileSync(join(root, "specs/contract/asyncapi.yaml"), "utf8");
const whole = JSON.stringify(document);
const specs = specFiles(join(root, "specs"));

function specFiles(folder: string): { name: string; text: string }[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return specFiles(path);
      if (!entry.name.endsWith(".spec.ts")) return [];
      return [{ name: path.slice(root.length), text: readFileSync(path, "utf8") }];
    });
}

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

/** Names of all schemas that something refers to, however deep. */
function schemasIn(value: unknown, found = new Set<string>()): Set<string> {
  if (!isNode(value)) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== "$ref" || typeof inner !== "string") {
      schemasIn(inner, found);
      continue;
    }
    const target = resolve(inner);
    const name = inner.startsWith("#/components/schemas/") ? inner.slice(21) : null;
    if (name !== null && found.has(name)) continue;
    if (name !== null) found.add(name);
    schemasIn(target, found);
  }
  return found;
}

function resolve(ref: string): unknown {
  return ref
    .slice(2)
    .split("/")
    .reduce<unknown>((value, part) => (isNode(value) ? value[part] : undefined), document);
}

const usedBy = new Map<string, string[]>();
for (const { operation } of operations) {
  for (const schema of schemasIn(operation)) {
    usedBy.set(schema, [...(usedBy.get(schema) ?? []), operation.operationId]);
  }
}

/** The properties of a schema, those of its `allOf` parts included. */
function propertiesOf(schema: unknown): Node {
  if (!isNode(schema)) return {};
  if (typeof schema.$ref === "string") return propertiesOf(resolve(schema.$ref));
  const parts = Array.isArray(schema.allOf) ? schema.allOf.map(propertiesOf) : [];
  return Object.assign({}, ...parts, isNode(schema.properties) ? schema.properties : {});
}

const some = (names: readonly string[]): string =>
  names.length === 0
    ? MISSING
    : names
        .slice(0, MOST_NAMED)
        .map((name) => `\`${name}\``)
        .join(" ") + (names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "");

/** Spec files that name one of the words as a whole string. */
const specsWith = (words: readonly string[]): string[] =>
  specs.filter(({ text }) => words.some((word) => text.includes(`"${word}"`))).map(({ name }) => name);

function enumAt(place: string): unknown[] {
  const [schema = "", field = ""] = place.split(".");
  const property = propertiesOf(document.components.schemas[schema])[field];
  const target = isNode(property) && typeof property.$ref === "string" ? resolve(property.$ref) : property;
  return isNode(target) && Array.isArray(target.enum) ? target.enum.map(String) : [];
}

const row = (...cells: string[]) => `| ${cells.join(" | ")} |`;
const table = (head: string[], rows: string[]) => [row(...head), row(...head.map(() => "---")), ...rows, ""];

const resourceRows = RESOURCES.flatMap(({ name, schema = name, fields }) => {
  const properties = propertiesOf(document.components.schemas[schema]);
  const used = usedBy.get(schema) ?? [];
  return fields.map((field) => {
    const shown = field in properties ? used : [];
    return row(`${name}.${field}`, some(shown), shown.length > 0 ? some(specsWith(shown)) : MISSING);
  });
});

const enumRows = ENUMERATIONS.flatMap(({ name, values, at }) =>
  values.map((value) => {
    const places = at.filter((place) => enumAt(place).includes(value));
    return row(name, `\`${value}\``, some(places), places.length > 0 ? some(specsWith([value])) : MISSING);
  }),
);

const endpointRows = ENDPOINTS.flatMap(([methods, path]) =>
  methods.split(" ").map((method) => {
    const found = operations.find((one) => one.path === path && one.method.toUpperCase() === method);
    const id = found ? [found.operation.operationId] : [];
    return row(`${method} \`${path}\``, some(id), found ? some(specsWith(id)) : MISSING);
  }),
);

const eventRows = EVENTS.map(([what, word]) => {
  const isShown = asyncapi.includes(word) || usedOperation(word);
  return row(what, isShown ? `\`${word}\`` : MISSING, isShown ? some(specsWith([word])) : MISSING);
});

function usedOperation(id: string): boolean {
  return operations.some(({ operation }) => operation.operationId === id);
}

const errorRows = ERROR_CODES.map(([status, code]) => {
  const registered = Object.entries(ERRORS).some(([name, [of]]) => name === code && of === status);
  return row(
    `${status} \`${code}\``,
    registered ? "registry and document" : MISSING,
    some(specsWith([code])),
  );
});

const limitRows = LIMITS.map(([what, pattern]) => row(what, pattern.test(whole) ? "document" : MISSING));

const all = [resourceRows, enumRows, endpointRows, eventRows, errorRows, limitRows].flat();
const missing = all.filter((line) => line.includes(MISSING)).length;

const page = [
  "# What of the interface is here",
  "",
  "Generated by `npm run generate` from the contract and the specs; don't edit. Each entry of the given interface 2.9.0",
  "with the operations that carry it and the specs that name them. A spec named here calls the operation; what it",
  "promises is said in its own words. The contract itself is held on every answer and frame under test.",
  "",
  `${all.length - missing} of ${all.length} entries are shown, ${missing} are missing.`,
  "",
  "## Resources and fields",
  "",
  ...table(["field", "operations", "specs"], resourceRows),
  "## Enumerations",
  "",
  ...table(["enumeration", "value", "where", "specs"], enumRows),
  "## Endpoints",
  "",
  ...table(["endpoint", "operation", "specs"], endpointRows),
  "## Events",
  "",
  ...table(["event", "shown by", "specs"], eventRows),
  "## Errors",
  "",
  ...table(["error", "where", "specs"], errorRows),
  "## Limits",
  "",
  ...table(["limit", "where"], limitRows),
].join("\n");

writeFileSync(join(root, "docs/coverage.md"), page);
