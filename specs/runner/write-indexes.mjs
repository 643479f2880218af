// Writes the lists of all modules of a kind, so that a new one has no line to be written by hand: the collections, the
// features that take nothing but FeatureDeps, and the modules of routes. Sources are read as text: they need not run yet.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Another root is given by the spec of this file. */
const root = process.argv[2] ?? fileURLToPath(new URL("../../", import.meta.url));

const createdByHand = readFileSync(join(root, "actors/features.ts"), "utf8");

/** A list of constants of one type; the list's items are these. */
const constants = ({ folder, file, type, from, suffix, what, list }) => ({
  folder,
  file,
  exported: new RegExp(`^export const (\\w+${suffix}): ${type} =`, "gm"),
  alike: new RegExp(`^(?:export )?const (\\w+): ${type} =`, "gm"),
  form: `export const example${suffix}: ${type} = …`,
  head: `import type { ${type} } from "${from}";`,
  list: (names) => [
    `/** ${what} */`,
    `export const ${list}: readonly ${type}[] = [`,
    ...names.map((name) => `  ${name},`),
    "];",
  ],
});

/**
 * Each kind: the folder of its modules, the form of their exports, and the file of the list. `alike` finds what looks like one of
 * them but is written in another form; `form` says how to write it.
 */
const INDEXES = [
  {
    folder: "store/mongo",
    file: "store/mongo/generated/collections.ts",
    exported: /^export const (\w+) = defineCollection\b/gm,
    alike: /^(?:export )?(?:const|let) (\w+)[^=\n]*= defineCollection\b/gm,
    form: "export const blocksCollection = defineCollection<…>(…)",
    head: 'import type { CollectionSchema } from "../driver/collection.ts";',
    list: (names) => [
      "/** Every collection of the service. */",
      "export const COLLECTIONS: readonly CollectionSchema[] = [",
      ...names.map((name) => `  ${name},`),
      "];",
    ],
  },
  {
    folder: "actors",
    file: "actors/generated/features.ts",
    exported: /^export function (create\w+)\(\s*(?:\w+|\{[^()]*?\}): (?:Pick<)?FeatureDeps\b[^()]*\)/gm,
    alike: /^export (?:async )?(?:function|const) (create\w+)\b/gm,
    // Features that take others are created by hand.
    isAlike: (name, source) => source.includes("FeatureDeps") && !createdByHand.includes(`${name}(`),
    form: "export function createBlocking(deps: FeatureDeps), or with a Pick of it, not behind an alias",
    head: 'import type { FeatureDeps } from "../features/deps.ts";',
    list: (names) => [
      "/** The features that need no other one, each under its name. */",
      "export const createIndependent = (deps: FeatureDeps) => ({",
      ...names.map((name) => `  ${featureOf(name)}: ${name}(deps),`),
      "});",
    ],
  },
  {
    folder: "actors",
    file: "actors/generated/lifecycles.ts",
    exported: /^export const (\w+Lifecycle) = defineLifecycle\(/gm,
    alike: /^(?:export )?const (\w+)[^=\n]*= defineLifecycle\b/gm,
    form: "export const pollsLifecycle = defineLifecycle({ … })",
    head: 'import type { CallsDeps, DefinitionDeps } from "../host/lifecycle.ts";',
    list: (names) => [
      "/** The definition of each kind of actor. */",
      "export const defineAll = (deps: DefinitionDeps) => ({",
      ...names.map((name) => `  ${lifecycleOf(name)}: ${name}.define(deps),`),
      "});",
      "",
      "/** The calls of each kind, each under its name. */",
      "export const openAll = (deps: CallsDeps, definitions: ReturnType<typeof defineAll>) => ({",
      ...names.map(
        (name) =>
          `  ${lifecycleOf(name)}: ${name}.open({ ...deps, definition: definitions.${lifecycleOf(name)} }),`,
      ),
      "});",
    ],
  },
  {
    folder: "actors",
    file: "actors/generated/resources.ts",
    exported: /^export async function (\w+Resource)\(/gm,
    alike: /^(?:export )?(?:async )?(?:function|const) (\w+Resource)\b/gm,
    form: "export async function pollResource({ polls }: { polls: … }, id: string) { … }",
    list: (names) => [
      "/** What loads each kind of resource that a path names. */",
      "export const RESOURCES = {",
      ...names.map((name) => `  ${withoutEnd(name, "Resource")}: ${name},`),
      "} as const;",
    ],
  },
  {
    folder: "api",
    file: "api/generated/routes.ts",
    exported: /^export function (\w+Routes)\(\s*\{ bind/gm,
    alike: /^export (?:async )?(?:function|const) (?!registerRoutes)(\w+Routes)\b/gm,
    form: "export function socialRoutes({ bind, … }: Operations, { … }: RouteDeps)",
    list: (names) => [
      "/** Every module of routes. */",
      "export const ROUTES = [",
      ...names.map((name) => `  ${name},`),
      "] as const;",
    ],
  },
  constants({
    folder: "specs/actors",
    file: "specs/actors/generated/subjects.ts",
    type: "Subject",
    from: "../host/subject.ts",
    suffix: "Subject",
    what: "What specs know of each machine.",
    list: "SUBJECTS",
  }),
  constants({
    folder: "specs/actors",
    file: "specs/actors/generated/crash-scenarios.ts",
    type: "CrashScenarios",
    from: "../host/crash/scenario.ts",
    suffix: "Crashes",
    what: "The operations of each machine at which a process dies.",
    list: "CRASH_SCENARIOS",
  }),
  constants({
    folder: "specs/api",
    file: "specs/api/generated/requests.ts",
    type: "ResourceRequests",
    from: "../authorization/resource-requests.ts",
    suffix: "Requests",
    what: "What specs of all operations know of each resource.",
    list: "REQUESTS",
  }),
];

/** `pollsLifecycle` is `polls`. */
const lifecycleOf = (name) => withoutEnd(name, "Lifecycle");

const withoutEnd = (name, end) => name.slice(0, -end.length);

/** `createBlocking` makes `blocking`. */
const featureOf = (create) =>
  create.charAt("create".length).toLowerCase() + create.slice("create".length + 1);

function write({ folder, file, exported, alike, isAlike = () => true, form, head, list }) {
  const found = sourcesBelow(join(root, folder)).flatMap((path) => {
    const source = readFileSync(path, "utf8");
    const names = [...source.matchAll(exported)].map(([, name]) => name);
    for (const [, name] of source.matchAll(alike))
      if (!names.includes(name) && isAlike(name, source))
        throw new Error(`${relative(root, path)}: ${name} would be in no list. Write it as: ${form}`);
    return names.map((name) => ({ name, path }));
  });
  if (found.length === 0) throw new Error(`${folder} has no module for ${file}`);
  const imports = found.map(({ name, path }) => `import { ${name} } from "${importOf(file, path)}";`);
  const content = [
    `/** Made from the modules of ${folder} by \`npm run generate\`. */`,
    ...(head ? [head] : []),
    ...imports,
    "",
    ...list(found.map(({ name }) => name)),
    "",
  ].join("\n");
  mkdirSync(join(root, dirname(file)), { recursive: true });
  writeFileSync(join(root, file), content);
}

function sourcesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) => entry.isFile() && entry.name.endsWith(".ts") && basename(entry.parentPath) !== "generated",
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const importOf = (file, path) => relative(dirname(file), relative(root, path)).replaceAll("\\", "/");

for (const index of INDEXES) write(index);
