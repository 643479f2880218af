// Imports point one way: deploy → api | jobs → actors → rooms → store → contract, and deploy → gateway → rooms. This reads every
// module of the service and fails on one that points elsewhere, on a relative import of nothing, on folders that import each other
// in a circle, and when it saw no module at all, since a check that can't read our files would otherwise be green.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Areas by folder, the deepest first, with the areas that each may import beside itself. */
const AREAS = [
  ["contract", []],
  ["base", ["contract"]],
  ["store", ["base", "contract"]],
  ["realtime/rooms", ["store", "base", "contract"]],
  // A separate package with copies of generated files.
  ["clients/typescript", []],
  // Also a separate package: it knows the client's package, and nothing by its path.
  ["web", []],
  ["actors", ["realtime/rooms", "store", "base", "contract"]],
  // Within the gateway: channels → feed → socket, and the module that starts it above them.
  ["realtime/gateway/socket", ["realtime/rooms", "store", "base", "contract"]],
  ["realtime/gateway/feed", ["realtime/gateway/socket", "realtime/rooms", "store", "base", "contract"]],
  [
    "realtime/gateway/channels",
    ["realtime/gateway/feed", "realtime/gateway/socket", "realtime/rooms", "store", "base", "contract"],
  ],
  [
    "realtime/gateway",
    [
      "realtime/gateway/channels",
      "realtime/gateway/feed",
      "realtime/gateway/socket",
      "realtime/rooms",
      "store",
      "base",
      "contract",
    ],
  ],
  ["api", ["actors", "realtime/rooms", "store", "base", "contract"]],
  ["jobs", ["actors", "realtime/rooms", "store", "base", "contract"]],
  [
    "deploy",
    [
      "api",
      "realtime/gateway",
      "realtime/gateway/socket",
      "jobs",
      "clients/typescript",
      "actors",
      "realtime/rooms",
      "store",
      "base",
      "contract",
    ],
  ],
];
/**
 * Modules that only one module may compose, for the service and for specs: so specs open what production runs. Types may be
 * imported by all.
 */
const COMPOSED_BY = {
  "api/http/app.ts": "deploy/processes/workers/serve-http.ts",
  "api/http/broken-request.ts": "deploy/processes/workers/serve-http.ts",
  "deploy/processes/upgrade-splice/splice.ts": "deploy/processes/workers/serve-http.ts",
  "api/routes.ts": "deploy/processes/workers/serve-api.ts",
  "deploy/processes/workers/serve-http.ts": ["deploy/processes/workers/serve-api.ts", "specs"],
};
const ALSO_COMPOSE = ["specs", "bench"];
const ROOTS = [
  "api",
  "actors",
  "realtime",
  "clients/typescript/src",
  "web/src",
  "store",
  "jobs",
  "deploy",
  "contract",
];

const IMPORT =
  /(?:^|[;\s])(?:import|export)\s*(?:type\s*)?(?:[\w*{][^;'"]*?\sfrom\s*)?["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/g;

/** @returns {{ modules: number, faults: string[] }} */
export function importFaults(root) {
  const modules = ROOTS.flatMap((folder) => modulesBelow(join(root, folder)));
  const others = ALSO_COMPOSE.flatMap((folder) => modulesBelow(join(root, folder)));
  const faults = [
    ...modules.flatMap((module) => faultsOf(module, root)),
    ...cyclesIn(modules, root),
    ...[...new Set([...modules, ...others])].flatMap((module) => compositionFaultsOf(module, root)),
  ];
  return { modules: modules.length, faults };
}

function faultsOf(module, root) {
  const name = relative(root, module);
  const from = areaOf(name);
  if (from === null) return [`${name} lies in no area: the folders of realtime/ are rooms and gateway.`];
  return importsOf(readFileSync(module, "utf8")).flatMap((specifier) => {
    if (!specifier.startsWith(".")) return [];
    const target = resolve(dirname(module), specifier);
    const imported = relative(root, target);
    if (!existsSync(target))
      return [`${name} imports ${specifier}, which doesn't exist (extensions are written).`];
    const to = areaOf(imported);
    const allowed = AREAS.find(([area]) => area === from)?.[1] ?? [];
    if (to === from || allowed.includes(to)) return [];
    return [
      `${name} (${from}) imports ${imported} (${to ?? "outside the service"}): that direction is closed.`,
    ];
  });
}

function cyclesIn(modules, root) {
  /** Folder → the folders that its modules import. */
  const imported = new Map();
  for (const module of modules) {
    const folder = relative(root, dirname(module));
    const targets = importsOf(readFileSync(module, "utf8"))
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => relative(root, dirname(resolve(dirname(module), specifier))))
      .filter((target) => target !== folder);
    imported.set(folder, [...(imported.get(folder) ?? []), ...targets]);
  }
  const reachable = (from, seen = new Set()) => {
    for (const to of imported.get(from) ?? []) if (!seen.has(to)) reachable(to, seen.add(to));
    return seen;
  };
  return [...imported.keys()].flatMap((folder) =>
    reachable(folder).has(folder) ? [`${folder} leads back to itself by what it imports.`] : [],
  );
}

function compositionFaultsOf(module, root) {
  const name = relative(root, module);
  return importsOf(readFileSync(module, "utf8"), { types: false }).flatMap((specifier) => {
    if (!specifier.startsWith(".")) return [];
    const imported = relative(root, resolve(dirname(module), specifier))
      .split(sep)
      .join("/");
    const by = COMPOSED_BY[imported];
    if (by === undefined || [by].flat().some((one) => name === one || name.startsWith(`${one}/`))) return [];
    return [
      `${name} puts ${imported} together by itself: only ${[by].flat()[0]} does; open the service by that.`,
    ];
  });
}

function importsOf(source, { types = true } = {}) {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  return [...code.matchAll(IMPORT)]
    .filter(([statement]) => types || !/^[;\s]*(import|export)\s+type\b/.test(statement))
    .map(([, named, dynamic]) => named ?? dynamic);
}

function areaOf(path) {
  const slashed = path.split(sep).join("/");
  return AREAS.find(([area]) => slashed.startsWith(`${area}/`))?.[0] ?? null;
}

function modulesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !isHidden(relative(folder, path)));
}

/** Specs make such folders beside the sources, and take them away again. */
function isHidden(path) {
  return `${sep}${path}`.includes(`${sep}.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { modules, faults } = importFaults(process.argv[2] ?? join(dirname(process.argv[1]), "../.."));
  for (const fault of faults) console.error(fault);
  if (modules === 0) console.error("No module was seen: the check looks in the wrong place.");
  console.log(`${modules} modules, ${faults.length} faults`);
  process.exitCode = faults.length === 0 && modules > 0 ? 0 : 1;
}
